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
if (target !== null) {
  // Builds for users have no such page: the condition is known when they are made.
  if (import.meta.env.DEV && location.pathname.endsWith('/parts')) void import('./views/parts/PartsView.svelte').then(({ default: Parts }) => mount(Parts, { target }));
  else mount(App, { target });
}
