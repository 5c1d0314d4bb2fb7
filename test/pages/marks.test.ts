import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseColour } from '../../lib/pages/colour.js'
import { loadMarks } from '../../lib/pages/loaded-assets.js'
import { BUTTON, providerMark } from '../../lib/pages/provider-mark.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { signInPage } from '../../lib/pages/signin.js'
import { LOGOS, marksText, RESTRICTED, SLUGS } from '../../scripts/provider-marks.js'
import { BRAND_COLOURS } from '../support/brand-colours.js'
import { catalogueIds } from '../support/catalogue.js'
import { elements } from '../support/html.js'

const view = (name: string): string => readFileSync(new URL(`../../views/${name}`, import.meta.url), 'utf8')

describe('views/marks.json', () => {
  it('is what the script makes of the packages', () => {
    expect(view('marks.json'), 'run npx tsx scripts/provider-marks.ts').to.equal(marksText())
  })

  it('says where the marks come from, and that they are free', () => {
    expect(JSON.parse(view('marks.json')))
      .to.include({ license: 'CC0-1.0' })
      .and.to.have.property('source')
      .that.matches(/^simple-icons \d+\.\d+\.\d+ and @iconify-json\/logos \d+\.\d+\.\d+,/)
  })

  it('has marks of providers of the catalogue alone, none of them under a licence of its own', async () => {
    const ids = [...Object.keys(SLUGS), ...Object.keys(LOGOS)]
    expect(ids.filter((id) => !catalogueIds.includes(id))).to.deep.equal([])
    expect(new Set(ids)).to.have.property('size', ids.length)
    expect(RESTRICTED).to.deep.equal(['keycloak', 'webex'])
    expect(await loadMarks()).to.not.have.any.keys(...RESTRICTED)
  })

  it('has path data and nothing else', async () => {
    for (const [id, mark] of Object.entries(await loadMarks())) {
      const { viewBox, parts } = typeof mark === 'string' ? { viewBox: '0 0 24 24', parts: [{ path: mark }] } : mark
      expect(viewBox, id).to.match(/^-?\d+(\.\d+)? -?\d+(\.\d+)? (\d+) \3$/)
      for (const { path, fill = '#000000' } of parts as readonly { path: string; fill?: string }[]) {
        expect(path, id).to.match(/^[MmLlHhVvCcSsQqTtAaZz\d\s,.-]+$/)
        expect(fill, id).to.match(/^#[\da-f]{6}$/)
      }
    }
  })
})

describe('the mark of a provider that has one', () => {
  const PATH = 'M0 0h24v24H0z'

  it('is drawn in the brand colour where that is seen on a button, in each scheme on its own', () => {
    const seen = (brandColor: string) => {
      const mark = providerMark('x', { brandColor }, PATH)
      return mark.kind === 'vector' ? [mark.light, mark.dark] : []
    }
    expect(seen('#fee500')).to.deep.equal([false, true])
    expect(seen('#24292f')).to.deep.equal([true, false])
    expect(seen('#ea4c89')).to.deep.equal([true, true])
  })

  it('has the colour of the text without a brand colour', () => {
    expect(providerMark('x', {}, PATH)).to.deep.equal({
      kind: 'vector',
      viewBox: '0 0 24 24',
      path: PATH,
      fill: null,
      light: false,
      dark: false,
    })
  })

  it('gives way to the logo of the application, and never to one from another host', () => {
    expect(providerMark('x', { logo: '/own.svg' }, PATH)).to.deep.equal({ kind: 'image', src: '/own.svg' })
    expect(providerMark('x', { logo: 'https://cdn.example/x.svg' }, PATH)).to.include({ kind: 'vector' })
  })

  it('is known by the id of the provider, and no id reaches what every object has', () => {
    const names = ['constructor', '__proto__', 'toString', 'github']
    const { sections } = signInPage({
      providers: names.map((id) => ({ id, name: id, type: 'oauth' as const })),
      urls: { signIn: (id) => `/signin/${id}`, callback: (id) => `/callback/${id}` },
      csrfToken: 'token',
      callbackUrl: '/',
      insecure: false,
      marks: { github: PATH },
    })
    const kinds = sections.flatMap((section) => (section.kind === 'buttons' ? section.buttons : []))
    expect(kinds.map(({ mark }) => mark.kind)).to.deep.equal(['letter', 'letter', 'letter', 'vector'])
  })

  it('is hidden from screen readers: the name stands beside it', async () => {
    const renderer = createPageRenderer({ theme: {} })
    const page = signInPage({
      providers: [
        { id: 'github', name: 'GitHub', type: 'oauth', style: { brandColor: '#24292f' } },
        { id: 'other', name: 'Other', type: 'oauth' },
      ],
      urls: { signIn: (id) => `/signin/${id}`, callback: (id) => `/callback/${id}` },
      csrfToken: 'token',
      callbackUrl: '/',
      insecure: false,
      marks: { github: PATH },
    })
    const [mark, letter] = elements((await renderer.render(page)).html, 'svg').filter((svg) =>
      svg.get('class')?.startsWith('mark'),
    )
    expect(mark?.get('class')).to.equal('mark vector in-light')
    expect(mark?.get('aria-hidden')).to.equal('true')
    expect(mark?.get('fill')).to.equal('#24292f')
    expect(letter?.get('class')).to.equal('mark plain')
  })

  it('keeps the colours that its owner asks for, whatever the brand colour is, and in both schemes', async () => {
    const marks = await loadMarks()
    const fillsOf = (id: string) => {
      const mark = providerMark(id, { brandColor: '#24292f' }, marks[id])
      return mark.kind === 'colours' ? mark.parts.map(({ fill }) => fill) : mark.kind
    }
    expect(fillsOf('google')).to.deep.equal(['#4285f4', '#34a853', '#fbbc05', '#eb4335'])
    expect(fillsOf('microsoft-entra-id')).to.have.length(4)
    expect(fillsOf('azure-ad')).to.deep.equal(fillsOf('microsoft-entra-id'))
    expect(fillsOf('slack')).to.have.length(4)
    expect(fillsOf('linkedin')).to.equal('vector')
  })

  it('is drawn with attributes alone in several colours: the content policy allows no style of its own', async () => {
    const page = signInPage({
      providers: [{ id: 'google', name: 'Google', type: 'oidc' }],
      urls: { signIn: (id) => `/signin/${id}`, callback: (id) => `/callback/${id}` },
      csrfToken: 'token',
      callbackUrl: '/',
      insecure: false,
      marks: await loadMarks(),
    })
    const { html } = await createPageRenderer({ theme: {} }).render(page)
    const [svg = ''] = /<svg class="mark colours"[\s\S]*?<\/svg>/.exec(html) ?? []
    expect(svg).to.include('viewBox="-3 0 262 262"').and.to.include('aria-hidden="true"').and.not.include('style')
    expect(elements(svg, 'path').map((path) => path.get('fill'))).to.deep.equal([
      '#4285f4',
      '#34a853',
      '#fbbc05',
      '#eb4335',
    ])
  })

  it('gives way in several colours, too, to the logo of the application', async () => {
    const { google } = await loadMarks()
    expect(providerMark('x', { logo: '/own.svg' }, google)).to.deep.equal({ kind: 'image', src: '/own.svg' })
  })

  it('stands on the buttons that the stylesheets paint', () => {
    const painted = (name: string) =>
      ['raised', 'hover'].map((variable) => parseColour(new RegExp(`--${variable}: (#\\w+);`).exec(view(name))?.[1]))
    expect(painted('page.css')).to.deep.equal(BUTTON.light)
    expect(painted('dark.css')).to.deep.equal(BUTTON.dark)
  })

  for (const brandColor of BRAND_COLOURS) {
    it(`is seen in at least one scheme in ${brandColor}`, () => {
      expect(providerMark('x', { brandColor }, PATH)).to.satisfy(
        (mark: { light: boolean; dark: boolean }) => mark.light || mark.dark,
      )
    })
  }
})
