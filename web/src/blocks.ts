// blocks.ts - binary blocks of the page: base64 of a zlib stream of columns of varints.
//
// A million zones as JSON would be some hundred megabytes of text; as columns of differences
// they are a few bytes each, and the browser inflates them itself.

// Every browser since 2023 has it; the types that come with older compilers do not.
declare const DecompressionStream: new (format: "deflate") => GenericTransformStream;

const CHARACTERS_AT_ONCE = 1 << 20; // a multiple of 4: each piece is base64 of its own

// Feeds the stream piece by piece, so that the page stays alive meanwhile.
export async function readBlock(id: string): Promise<Uint8Array> {
    const text = document.getElementById(id)?.textContent?.trim() ?? "";
    if (text === "") throw new Error(`the page has no block "${id}"`);
    const stream = new DecompressionStream("deflate");
    const writer = stream.writable.getWriter();
    const feed = async () => {
        for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
            await writer.write(fromBase64(text.slice(at, at + CHARACTERS_AT_ONCE)));
        }
        await writer.close();
    };
    const [inflated] = await Promise.all([new Response(stream.readable).arrayBuffer(), feed()]);
    return new Uint8Array(inflated);
}

function fromBase64(text: string): Uint8Array {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

// Lets the browser paint and answer between two pieces of work.
export function pause(): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, 0));
}

// A cursor over the columns of one block.
export class Columns {
    private at = 0;

    constructor(private bytes: Uint8Array, private id: string) {}

    // The next column, as long as `out`. Values may pass 2^32, so they are put together by
    // multiplication; most are one or two bytes long.
    read<T extends Float64Array | Uint32Array>(out: T): T {
        const bytes = this.bytes;
        let at = this.at;
        for (let i = 0; i < out.length; i++) {
            let byte = bytes[at++];
            if (byte < 128) {
                out[i] = byte;
                continue;
            }
            let value = byte & 127;
            let weight = 128;
            do {
                byte = bytes[at++];
                value += (byte & 127) * weight;
                weight *= 128;
            } while (byte >= 128);
            out[i] = value;
        }
        if (at > bytes.length) throw new Error(`the block "${this.id}" is cut short`);
        this.at = at;
        return out;
    }

    // Every byte belongs to a column; anything left means that the counts are wrong.
    end(): void {
        if (this.at !== this.bytes.length) throw new Error(`the block "${this.id}" is too long`);
    }
}
