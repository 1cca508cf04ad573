package io.viaduct.tunnel.control;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.util.Optional;

/// Frames of the control connection: `| type u8 | length u24 | body |`. Normative: docs/protocol.md
/// "Control connection".
public final class ControlFrame {
  public static final int HEADER_BYTES = 4;
  public static final int BODY_BYTES_MAX = 65_535;
  static final int TYPE_MESSAGE = 0;

  private ControlFrame() {}

  /// Why bytes are no frame of this version; the connection must close.
  public static final class MalformedFrameException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedFrameException(String message) {
      super(message);
    }
  }

  /// Appends the message as one frame.
  ///
  /// @throws IllegalArgumentException if it is longer than a frame may be
  public static void write(ControlMessage message, ByteBuf to) {
    byte[] body = message.toByteArray();
    if (body.length > BODY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "control message has " + body.length + " bytes, must have at most " + BODY_BYTES_MAX);
    }
    to.writeByte(TYPE_MESSAGE).writeMedium(body.length).writeBytes(body);
  }

  /// Takes the next frame off the buffer.
  ///
  /// @return empty if more bytes must come first; then nothing was taken
  public static Optional<ControlMessage> read(ByteBuf from) throws MalformedFrameException {
    if (from.readableBytes() < HEADER_BYTES) {
      return Optional.empty();
    }
    int start = from.readerIndex();
    int type = from.getUnsignedByte(start);
    int length = from.getUnsignedMedium(start + 1);
    if (type != TYPE_MESSAGE) {
      throw new MalformedFrameException("frame type is " + type + ", must be " + TYPE_MESSAGE);
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
