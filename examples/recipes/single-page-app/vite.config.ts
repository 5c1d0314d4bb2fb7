// For a page and a server on one origin: while you develop, Vite hands requests for the mount and the API on.
import { defineConfig } from 'vite'

// A text in place of this object would change `Host`.
const server = { target: 'http://localhost:3000', changeOrigin: false }

export default defineConfig({ server: { proxy: { '/auth': server, '/api': server } } })
