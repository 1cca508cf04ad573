package io.viaduct.tunnel.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Hello;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Reads the bytes of a control connection. Rule: frames until more bytes are needed, or a
/// MalformedFrameException. A frame that was read, message or datagram, is the same after writing
/// and reading it again.
final class ControlFrameFuzz {
  private static final UnpooledByteBufAllocator MEMORY = UnpooledByteBufAllocator.DEFAULT;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    ByteBuf from = Unpooled.wrappedBuffer(input);
    try {
      while (datagram(from) || message(from)) {
        continue;
      }
    } catch (MalformedFrameException _) {
      return; // the connection closes
    }
  }

  private static boolean datagram(ByteBuf from) throws MalformedFrameException {
    ByteBuf datagram = ControlFrame.readDatagram(from, MEMORY);
    if (datagram == null) {
      return false;
    }
    ByteBuf frame = Unpooled.buffer();
    ControlFrame.writeDatagrams(datagram.duplicate(), datagram.readableBytes(), frame);
    ByteBuf again = ControlFrame.readDatagram(frame, MEMORY);
    if (!datagram.isDirect() || !datagram.equals(again) || frame.isReadable()) {
      throw new AssertionError("a datagram that is read back differs");
    }
    again.release();
    return datagram.release();
  }

  private static boolean message(ByteBuf from) throws MalformedFrameException {
    Optional<ControlMessage> message = ControlFrame.read(from);
    if (message.isPresent() && message.get().getSerializedSize() <= ControlFrame.BODY_BYTES_MAX) {
      ByteBuf again = Unpooled.buffer();
      ControlFrame.write(message.get(), again);
      if (!ControlFrame.read(again).equals(message)) {
        throw new AssertionError("a message that is read back differs");
      }
    }
    return message.isPresent();
  }

  static List<byte[]> seeds() {
    ByteBuf frames = Unpooled.buffer();
    ControlMessage hello =
        ControlMessage.newBuilder()
            .setHello(Hello.newBuilder().setVersion(1).setSoftware("seed").setPathMtu(1500))
            .build();
    ControlFrame.write(hello, frames);
    ControlFrame.write(hello, frames);
    ControlFrame.writeDatagrams(Unpooled.wrappedBuffer(new byte[40]), 20, frames);
    return List.of(ByteBufUtil.getBytes(frames), new byte[] {0, 0, 0, 2, 1, 1});
  }
}
