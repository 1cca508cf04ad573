package io.viaduct.diameter.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.MessageReader;
import io.viaduct.diameter.message.Refusal;
import java.util.List;

/// Cuts a stream into messages by their length field. What cannot be cut is passed on as a refused
/// message's header, and the rest of the stream is dropped.
final class MessageFramer extends ByteToMessageDecoder {
  private final MessageReader reader;
  private boolean ended;

  MessageFramer(MessageReader reader) {
    this.reader = reader;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (ended) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int start = in.getInt(in.readerIndex());
    Refusal refusal = reader.start(start);
    if (refusal == null) {
      int length = start & 0xFF_FFFF;
      if (in.readableBytes() >= length) {
        out.add(octets(in, length));
      }
    } else if (in.readableBytes() >= DiameterHeader.BYTES) {
      // The header alone: the reader refuses it for the same reason, and its answer needs the
      // identifiers.
      ended = true;
      out.add(octets(in, DiameterHeader.BYTES));
    }
  }

  private static byte[] octets(ByteBuf in, int length) {
    byte[] octets = new byte[length];
    in.readBytes(octets);
    return octets;
  }
}
