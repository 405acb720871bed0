/** What the page begins with: the features, one line each, and the start. */

import { app } from './app.js';

await app.start();
