import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, getSession, type MiddlewareRequest, verifyCsrfToken } from '../../lib/index.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { collectGarbage } from '../support/garbage.js'
import { sendRaw } from '../support/raw-http.js'

describe('a promise of Latchkey that nobody waits for', () => {
  let app: Running
  afterEach(() => app.close())

  async function warningsOf(route: (req: MiddlewareRequest, config: AuthConfig) => unknown) {
    const warned: { place: string; fix: string }[] = []
    const warn = (code: string, data: unknown) => {
      if (code === 'dropped-promise') warned.push(data as (typeof warned)[number])
    }
    const config = testConfig({ logger: { ...createLog().logger, warn } })
    app = await listen(express().get('/', async (req, res) => void res.json({ told: await route(req, config) })))
    for (let n = 0; n < 2; n += 1) await sendRaw(app.origin, '/')
    await collectGarbage()
    return warned
  }

  it('is a warning with the place, once for each place, if it is a condition', async () => {
    const warned = await warningsOf((req, config) => {
      const session: unknown = getSession(req, config)
      const isGood: unknown = verifyCsrfToken(req, config, 'wrong')
      return [session ? 'secret' : 'sign in', isGood ? 'done' : 'refused']
    })
    expect(warned.map(({ fix }) => fix.split('Write: ')[1])).to.have.members([
      'await getSession(req, config).',
      'await verifyCsrfToken(req, config, submitted).',
    ])
    for (const { place } of warned) expect(place).to.match(/dropped-promise\.test\.ts:\d+:\d+$/)
  })

  it('is none if somebody waits, in whatever way', async () => {
    const warned = await warningsOf(async (req, config) => {
      await getSession(req, config)
      await Promise.all([getSession(req, config), verifyCsrfToken(req, config, 'wrong')])
      await Promise.race([getSession(req, config)])
      getSession(req, config).then(() => {})
      await new Promise((resolve) => resolve(getSession(req, config)))
      return getSession(req, config)
    })
    expect(warned).to.deep.equal([])
  })
})
