// The features, in the order of their buttons and of the groups in the help.

import { compare } from './compare.js';
import { help } from './help.js';
import { marks } from './marks.js';
import { save } from './save.js';
import { stories } from './stories.js';

export const features = [marks, compare, stories, save, help];
