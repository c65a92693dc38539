// Starts the dashboard in the page.
import { render } from 'preact';
import { connectMock } from '../control/connect.js';
import { App } from './app.js';

// The browser adds the credentials that it asked for, because this is the same origin.
const control = connectMock(new URL('.', location.href).href.replace(/\/$/, ''));
render(<App control={control} />, document.getElementById('dashboard') ?? document.body);
