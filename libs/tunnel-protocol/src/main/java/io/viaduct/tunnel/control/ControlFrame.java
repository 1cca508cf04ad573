package io.viaduct.tunnel.control;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads and writes the frames of the control connection: `| type u8 | length u24 | body |`.
/// Normative: docs/protocol.md "Control connection".
public final class ControlFrame {
  /// ALPN of the connection that frames travel in (RFC 7301).
  public static final String ALPN = "viaduct/1";

  /// Protocol version of Hello that both ends speak.
  public static final int VERSION = 1;

  /// Bound on unsent bytes in the kernel's socket buffer at either end: a control message waits
  /// behind them.
  public static final long NOT_SENT_BYTES_MAX = 65_536;

  public static final int HEADER_BYTES = 4;
  public static final int BODY_BYTES_MAX = 65_535;

  /// Bound on the bytes of sealed datagrams that wait before or behind one control connection.
  public static final int DATAGRAM_BYTES_WAITING_MAX = 128 * 1024;

  static final int TYPE_MESSAGE = 0;
  static final int TYPE_DATAGRAM = 1;

  /// The last piece of a long body may have one byte.
  private static final int DATAGRAM_BYTES_MIN = FragmentHeader.LENGTH + 1;

  private ControlFrame() {}

  /// Thrown for bytes that are no frame of this version. The connection must close.
  public static final class MalformedFrameException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedFrameException(String message) {
      super(message);
    }
  }

  /// Appends the message as one frame.
  ///
  /// @throws IllegalArgumentException if the message is longer than a frame may be
  public static void write(ControlMessage message, ByteBuf to) {
    byte[] body = message.toByteArray();
    if (body.length > BODY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "control message has " + body.length + " bytes, must have at most " + BODY_BYTES_MAX);
    }
    to.writeByte(TYPE_MESSAGE).writeMedium(body.length).writeBytes(body);
  }

  /// Appends each datagram of a burst as one frame.
  ///
  /// @param segmentSize bytes of each datagram but the last
  public static void writeDatagrams(ByteBuf burst, int segmentSize, ByteBuf to) {
    while (burst.isReadable()) {
      int bytes = Math.min(segmentSize, burst.readableBytes());
      to.writeByte(TYPE_DATAGRAM).writeMedium(bytes).writeBytes(burst, bytes);
    }
  }

  /// Takes the next frame off the buffer if it holds a sealed datagram.
  ///
  /// @return a direct copy, because the cipher needs its address; the caller releases it. Null if
  ///   the frame holds no datagram or is incomplete: then nothing was taken.
  public static @Nullable ByteBuf readDatagram(ByteBuf from, ByteBufAllocator allocator)
      throws MalformedFrameException {
    int start = from.readerIndex();
    if (from.readableBytes() < HEADER_BYTES || from.getByte(start) != TYPE_DATAGRAM) {
      return null;
    }
    int length = from.getUnsignedMedium(start + 1);
    if (length < DATAGRAM_BYTES_MIN || length > BODY_BYTES_MAX) {
      throw new MalformedFrameException(
          "datagram has %d bytes, must have from %d to %d"
              .formatted(length, DATAGRAM_BYTES_MIN, BODY_BYTES_MAX));
    }
    return from.readableBytes() < HEADER_BYTES + length
        ? null
        : allocator.directBuffer(length).writeBytes(from.skipBytes(HEADER_BYTES), length);
  }

  /// Takes the next frame off the buffer if it holds a message. Frames with datagrams are left to
  /// [#readDatagram].
  ///
  /// @return empty if the frame is incomplete; then nothing was taken
  public static Optional<ControlMessage> read(ByteBuf from) throws MalformedFrameException {
    if (from.readableBytes() < HEADER_BYTES) {
      return Optional.empty();
    }
    int start = from.readerIndex();
    int type = from.getUnsignedByte(start);
    int length = from.getUnsignedMedium(start + 1);
    if (type == TYPE_DATAGRAM) {
      return Optional.empty();
    }
    if (type != TYPE_MESSAGE) {
      throw new MalformedFrameException(
          "frame type is " + type + ", must be " + TYPE_MESSAGE + " or " + TYPE_DATAGRAM);
    }
    if (length > BODY_BYTES_MAX) {
      throw new MalformedFrameException(
          "frame length is " + length + ", must be at most " + BODY_BYTES_MAX);
    }
    if (from.readableBytes() < HEADER_BYTES + length) {
      return Optional.empty();
    }
    byte[] body = new byte[length];
    from.skipBytes(HEADER_BYTES).readBytes(body);
    try {
      ControlMessage message = ControlMessage.parseFrom(body);
      if (message.getMessageCase() == ControlMessage.MessageCase.MESSAGE_NOT_SET) {
        throw new MalformedFrameException("frame holds no message that this version knows");
      }
      return Optional.of(message);
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedFrameException("frame body is no control message: " + e.getMessage());
    }
  }
}
