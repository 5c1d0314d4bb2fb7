/** In place of the one of the example: SolidStart 1 has its options in `app.config.ts`. */
export default {}
