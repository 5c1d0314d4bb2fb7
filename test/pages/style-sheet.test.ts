import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { openTestApp } from '../support/test-app.js'

const views = new URL('../../views/', import.meta.url)
const templates = readdirSync(views, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.eta'))
  .map((file) => readFileSync(new URL(file, views), 'utf8'))
  .join('\n')

/** The section of the guide. */
const documented = /## The style sheet\n(.*?)\n## /s.exec(
  readFileSync(new URL('../../docs/guides/pages.md', import.meta.url), 'utf8'),
)?.[1] as string

const classes = documented
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => Array.from((line.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g), ([, name = '']) => name))
const properties = Array.from(documented.matchAll(/`(--[\w-]+)`/g), ([, name = '']) => name)

describe('the style sheet of the pages', () => {
  it('is at a path that stays, for pages of this origin', async () => {
    const { status, headers, body } = await openTestApp({ theme: { brandColor: '#0f6b5c' } })
      .browser()
      .get('/auth/assets/pages.css')
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/css; charset=utf-8')
    expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin')
    expect(headers.get('cache-control')).to.equal('private, max-age=3600')
    expect(body).to.include('--accent:#0f6b5c')
    expect(headers.get('set-cookie')).to.equal(null)
  })

  it('has the classes and custom properties that the guide names, as templates use them', async () => {
    const css = await createPageRenderer({ theme: {} }).styles()
    expect(classes).to.include.members(['card', 'primary', 'part', 'danger']).and.have.length.above(15)
    for (const name of classes) {
      expect(css, name).to.match(new RegExp(`\\.${name}[^\\w-]`))
      expect(templates, name).to.match(new RegExp(`class="[^\\n]*(?<![\\w-])${name}(?![\\w-])`))
    }
    expect(properties).to.have.length.above(8)
    for (const name of properties) {
      expect(css, name).to.include(`${name}:`)
      expect(css, name).to.include(`var(${name})`)
    }
  })

  it('is of the scheme of the theme', async () => {
    const sheets = (['light', 'auto', 'dark'] as const).map((colorScheme) =>
      createPageRenderer({ theme: { colorScheme } }).styles(),
    )
    const [light = '', auto = '', dark = ''] = await Promise.all(sheets)
    expect(light).to.not.include('color-scheme: dark').and.not.include('prefers-color-scheme')
    expect(auto).to.include('@media (prefers-color-scheme: dark)')
    expect(dark).to.include('color-scheme: dark').and.not.include('prefers-color-scheme')
  })

  it('says nothing outside of its scope', async () => {
    const css = await createPageRenderer({ theme: {} }).styles()
    let depth = 0
    const outermost = css.replace(/[{}]|[^{}]+/g, (piece) => {
      if (piece === '}') depth -= 1
      const isOutside = depth === 0
      if (piece === '{') depth += 1
      return isOutside && piece !== '{' ? piece : ''
    })
    expect(depth).to.equal(0)
    expect(
      outermost
        .split('}')
        .map((each) => each.trim())
        .filter(Boolean),
    ).to.deep.equal(['@scope (.latchkey)', '@media (prefers-color-scheme: dark)'])
  })
})
