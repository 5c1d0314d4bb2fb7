import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { Application, Converter, type DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc'
import { API, ROOT, SITE } from './places.js'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** What applications import, with the source file of each, from the root: `latchkey/jwt` → `lib/jwt/index.ts`. */
export function entries(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Manifest
  const found = new Map<string, string>()
  for (const [name, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    const entry = name.replace('.', 'latchkey')
    const source = target.default.replace('./dist/', 'lib/').replace(/\.js$/, '.ts')
    for (const file of source.includes('*') ? filesBeside(source) : [source]) {
      found.set(entry.replace('*', file.slice(source.indexOf('*'), -extname(file).length)), file)
    }
  }
  return found
}

/** The files that a pattern such as `lib/providers/catalogue/*.ts` names. */
const filesBeside = (pattern: string): string[] =>
  readdirSync(ROOT + dirname(pattern))
    .filter((name) => extname(name) === extname(pattern))
    .sort()
    .map((name) => `${dirname(pattern)}/${name}`)

/** Types whose members are options: each member has a docstring, too. */
const OPTIONS = new Set(['AuthConfig', 'SessionOptions', 'JWTOptions', 'LoggingOptions', 'RequireAuthOptions'])

/**
 * Writes the API reference: one page for each entry of `exports`, made from the docstrings.
 *
 * @throws {Error} if an exported thing has no docstring, or a link in a docstring leads nowhere
 */
export async function writeReference(): Promise<void> {
  const names = new Map([...entries()].map(([name, file]) => [ROOT + file, name]))
  const app = await Application.bootstrapWithPlugins({
    entryPoints: [...names.keys()],
    tsconfig: `${SITE}tsconfig.api.json`,
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    excludeInternal: true,
    excludeExternals: true,
    excludePrivate: true,
    disableSources: true,
    // The package is compiled by the project's own compiler, which is newer. Here it is only read.
    skipErrorChecking: true,
    validation: { notExported: false, invalidLink: true, rewrittenLink: false, notDocumented: false },
    treatValidationWarningsAsErrors: true,
    outputs: [{ name: 'markdown', path: API }],
    // Options of typedoc-plugin-markdown, which the types of TypeDoc do not know.
    ...{
      outputFileStrategy: 'modules',
      entryFileName: 'index',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      parametersFormat: 'table',
    },
  })
  // Otherwise a module has the path of its file as its name, which no application imports.
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const name = names.get(
      context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName ?? '',
    )
    if (name) reflection.name = name
  })
  const project = await app.convert()
  if (!project) throw new Error('The sources of the package cannot be read.')
  requireNames(project, [...names.values()])
  app.validate(project)
  requireDocstrings(project)
  if (app.logger.hasErrors()) throw new Error('The API reference has the faults above.')
  await app.generateOutputs(project)
  correctAnchors()
}

/** The plugin numbers some headings as if an earlier one had the same name. Such a link gets the heading that is there. */
function correctAnchors(): void {
  const pages = readdirSync(API, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const texts = new Map(pages.map((name) => [name, readFileSync(API + name, 'utf8')]))
  const headings = new Map(
    [...texts].map(([name, text]) => [name, [...text.matchAll(/^#+ (\w+)/gm)].map(([, one]) => one?.toLowerCase())]),
  )
  for (const [name, text] of texts) {
    const corrected = text.replaceAll(
      /\]\(([^)#\s]*)#(\w+)-(\d+)\)/g,
      (link, path: string, heading: string, number: string) => {
        const page = path === '' ? name : join(dirname(name), path)
        const same = headings.get(page)?.filter((one) => one === heading).length ?? 0
        return same === 1 && number === '1' ? `](${path}#${heading})` : link
      },
    )
    if (corrected !== text) writeFileSync(API + name, corrected)
  }
}

/** A member of a type may be clear by its name; what is exported, and every option, says what it is. */
function requireDocstrings(project: ProjectReflection): void {
  const isDocumented = (one: DeclarationReflection) =>
    one.hasComment() || one.signatures?.some((signature) => signature.hasComment())
  const bare = (project.children ?? []).flatMap((entry) =>
    (entry.children ?? [])
      .flatMap((one) => (OPTIONS.has(one.name) ? [one, ...(one.children ?? [])] : [one]))
      .filter((one) => !one.kindOf(ReflectionKind.Reference) && !isDocumented(one))
      .map((one) => one.getFullName()),
  )
  if (bare.length > 0) throw new Error(`These have no docstring:\n${bare.join('\n')}`)
}

function requireNames(project: ProjectReflection, expected: readonly string[]): void {
  const made = new Set((project.children ?? []).map(({ name }) => name))
  const missing = expected.filter((name) => !made.has(name))
  if (missing.length > 0) throw new Error(`The API reference has no page for ${missing.join(', ')}.`)
}
