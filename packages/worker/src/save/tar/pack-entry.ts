import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import type { TarCompression } from '@webfarer/protocol/job';
import { bzip2, bzip2Sync } from '../../bzip2/encode.ts';
import { gzipMember, gzipMemberSync } from '../gzip-member.ts';
import { tarEnd } from './tar-entry.ts';

/** The default of zstd. With a checksum, because without one a reader does not notice damage to a body. */
const zstdParams = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_checksumFlag]: 1,
};
const zstd = promisify(zstdCompress);
const empty = Buffer.alloc(0);

/** An entry as the archive has it: compressed whole and by itself. */
export async function packEntry(parts: Buffer[], compress: TarCompression): Promise<Buffer[]> {
  switch (compress) {
    case 'none':
      return parts;
    case 'gz':
      return await gzipMember({ head: Buffer.concat(parts), body: empty, end: empty, packed: false });
    case 'bz2':
      return [await bzip2(Buffer.concat(parts))];
    case 'zst': {
      const whole = Buffer.concat(parts);
      return [await zstd(whole, { params: zstdParams, pledgedSrcSize: whole.length })];
    }
  }
}

/** What ends an archive, compressed like its entries. */
export function packedEnd(compress: TarCompression): Buffer[] {
  switch (compress) {
    case 'none':
      return [tarEnd];
    case 'gz':
      return gzipMemberSync(tarEnd);
    case 'bz2':
      return [bzip2Sync(tarEnd)];
    case 'zst':
      return [zstdCompressSync(tarEnd, { params: zstdParams, pledgedSrcSize: tarEnd.length })];
  }
}
