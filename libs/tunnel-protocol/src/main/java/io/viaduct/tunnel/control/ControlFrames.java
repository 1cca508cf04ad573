package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import java.util.List;

/// Reads the frames of one control connection, at either end. The first bad frame ends the stream:
/// the bytes behind it are dropped, because the begin of the next frame is not known.
public final class ControlFrames {
  private boolean broken;

  /// Takes the next frame off the buffer, if it is complete.
  ///
  /// @param out takes a [io.viaduct.tunnel.control.v1.ControlMessage], or a sealed datagram as a
  ///   direct [ByteBuf], which the receiver releases
  /// @throws MalformedFrameException once, at the first bad frame. The connection must close.
  public void read(ByteBuf in, ByteBufAllocator allocator, List<Object> out)
      throws MalformedFrameException {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      ByteBuf datagram = ControlFrame.readDatagram(in, allocator);
      if (datagram != null) {
        out.add(datagram);
      } else {
        ControlFrame.read(in).ifPresent(out::add);
      }
    } catch (MalformedFrameException e) {
      broken = true;
      throw e;
    }
  }
}
