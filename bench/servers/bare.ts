import express from 'express'
import { nameOf } from '../harness/people.js'

/** The route without any guard. */
export function serve() {
  const app = express()
  app.get('/hello', (_req, res) => res.json({ hello: nameOf(0) }))
  return app
}
