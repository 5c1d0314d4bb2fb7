import { createApp } from './create-app.js'

// supertest opens a new port for each request, so the origin is fixed.
export const { app, config } = createApp({ url: 'http://localhost:3000' })
