/** Colours that colour-blind readers can distinguish. */
export const COLORS = ['#2f6db5', '#e08a1e', '#3a9a6e', '#b0467e', '#7a6bc4', '#8a6d4b', '#4ba3c7', '#c0392b'] as const
/** Width of a plot in CSS pixels. */
export const WIDTH = 560
