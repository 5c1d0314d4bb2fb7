import { component$ } from '@builder.io/qwik'

export default component$(() => <p>This page is behind the plugin.</p>)
