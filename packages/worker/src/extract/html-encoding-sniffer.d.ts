declare module 'html-encoding-sniffer' {
  /** Name of the encoding by BOM, transport label and prescan, else `defaultEncoding`. */
  function sniff(
    bytes: Uint8Array,
    options?: {
      xml?: boolean;
      transportLayerEncodingLabel?: string | undefined;
      defaultEncoding?: string;
      maxPrescanBytes?: number;
    },
  ): string;
  export = sniff;
}
