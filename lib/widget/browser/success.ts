// Script of the success page.
import { countDown } from './countdown.js';

countDown(document);
