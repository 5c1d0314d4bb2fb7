import { type Html, html } from './html.js'

/** The icons of the pages, drawn in a square of 24. */
const PATHS = {
  provider: html`<circle cx="12" cy="5" r="2"/><path d="M12 7v13M5 13c0 4 3 7 7 7s7-3 7-7M9 10h6"/>`,
  mail: html`<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="m4 7.5 8 6 8-6"/>`,
  passkey: html`<circle cx="9" cy="8" r="3.5"/><path d="M3 19c0-3.3 2.7-6 6-6 1 0 2 .2 2.8.7"/><circle cx="17" cy="13" r="2.5"/><path d="M17 15.5V21l2-1.5"/>`,
  password: html`<rect x="3" y="8" width="18" height="8" rx="2.5"/><path d="M7.5 12h.01M12 12h.01M16.5 12h.01"/>`,
  page: html`<rect x="5" y="3" width="14" height="18" rx="2.5"/><path d="M9 8h6M9 12h6M9 16h3"/>`,
  shield: html`<path d="M12 3 5 6v5.5c0 4.4 2.9 7.8 7 9.5 4.1-1.7 7-5.1 7-9.5V6Z"/><path d="m9 12 2.2 2.2L15.2 10"/>`,
  out: html`<path d="M12 4v10M8 10.5l4 4 4-4M5 19h14"/>`,
  devices: html`<rect x="3" y="4" width="14" height="10" rx="2"/><path d="M7 18h5"/><rect x="15" y="10" width="6" height="10" rx="1.5"/>`,
  token: html`<path d="m8 8-4 4 4 4M16 8l4 4-4 4M13.5 5l-3 14"/>`,
  language: html`<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.5 2.6 3.7 5.6 3.7 9s-1.2 6.4-3.7 9c-2.5-2.6-3.7-5.6-3.7-9S9.5 5.6 12 3Z"/>`,
} as const

/** A picture beside a text that says the same. */
export const icon = (name: keyof typeof PATHS): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${PATHS[name]}</svg>`
