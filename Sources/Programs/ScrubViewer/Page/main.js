/** The page's entry point: the features, one line each, and the start. */

import { app } from './app.js';
import { features } from './features.js';

for (const feature of features) app.use(feature);
await app.start();
