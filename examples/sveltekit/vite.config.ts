import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

// The public origin. SvelteKit 3 compares it with the sender of each form.
const origin = process.env['ORIGIN']

export default defineConfig({
  plugins: [sveltekit({ adapter: adapter(), ...(origin ? { paths: { origin } } : {}) })],
  // Your own application does not need this line: its package.json lists latchkey, which is installed here from the checkout.
  ssr: { noExternal: ['latchkey'] },
})
