/** What tests use of the package, which has no types. */
declare module '@vercel/ncc' {
  export default function ncc(
    entry: string,
    options: {
      readonly minify: boolean
      readonly quiet: boolean
      readonly cache: false
      readonly externals: readonly string[]
    },
  ): Promise<{ code: string; assets: Record<string, { source: string | Buffer }> }>
}
