import './base/fonts.css';
import './base/tokens.css';
import './base/page.css';
import { mount } from 'svelte';
import { address } from './base/address.svelte';
import { keys } from './base/keys';
import App from './views/App.svelte';

address.listen();
keys.listen();
const target = document.getElementById('app');
if (target !== null) mount(App, { target });
