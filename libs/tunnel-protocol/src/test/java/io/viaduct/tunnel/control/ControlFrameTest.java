package io.viaduct.tunnel.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlFrameTest {
  private static final ByteBufAllocator UNPOOLED = UnpooledByteBufAllocator.DEFAULT;
  private static final ControlMessage GOODBYE =
      ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build();

  @Test
  void framesAreReadFromAnyPiecesOfTheStream() throws Exception {
    ByteBuf wire = Unpooled.buffer();
    ControlFrame.write(GOODBYE, wire);
    ControlFrame.write(GOODBYE, wire);
    ByteBuf arrived = Unpooled.buffer();
    int messages = 0;
    while (wire.isReadable()) {
      arrived.writeByte(wire.readByte());
      var message = ControlFrame.read(arrived);
      if (message.isPresent()) {
        assertThat(message).contains(GOODBYE);
        messages++;
      }
    }
    assertThat(messages).isEqualTo(2);
    assertThat(arrived.isReadable()).isFalse();
  }

  @Test
  void invalidFramesAreRefusedBeforeTheirBodyArrives() {
    assertRefused("02000001", "frame type is 2, must be 0 or 1");
    assertThatThrownBy(() -> ControlFrame.readDatagram(bytes("0100000b"), UNPOOLED))
        .isInstanceOf(ControlFrame.MalformedFrameException.class)
        .hasMessageContaining("datagram has 11 bytes, must have from 12 to 65535");
    assertRefused("00010000", "frame length is 65536, must be at most 65535");
    assertRefused("00000002ffff", "frame body is no control message");
    assertRefused("00000000", "frame holds no message that this version knows");
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(java.util.HexFormat.of().parseHex(hex));
  }

  @Test
  void datagramsAndMessagesAreReadFromAnyPiecesOfTheStream() throws Exception {
    ByteBuf wire = Unpooled.buffer();
    ControlFrame.writeDatagrams(Unpooled.buffer().writeZero(92), 40, wire);
    ControlFrame.write(GOODBYE, wire);
    ByteBuf arrived = Unpooled.buffer();
    List<String> seen = new ArrayList<>();
    while (wire.isReadable()) {
      arrived.writeByte(wire.readByte());
      ByteBuf datagram = ControlFrame.readDatagram(arrived, UNPOOLED);
      if (datagram != null) {
        seen.add(datagram.readableBytes() + " bytes");
        assertThat(datagram.isDirect()).isTrue();
        datagram.release();
      } else {
        ControlFrame.read(arrived).ifPresent(message -> seen.add("message"));
      }
    }
    assertThat(seen).containsExactly("40 bytes", "40 bytes", "12 bytes", "message");
    assertThat(arrived.isReadable()).isFalse();
  }

  private static void assertRefused(String hex, String why) {
    assertThatThrownBy(() -> ControlFrame.read(bytes(hex)))
        .isInstanceOf(ControlFrame.MalformedFrameException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aMessageTooLongForAFrameIsNotWritten() {
    ControlMessage big =
        ControlMessage.newBuilder()
            .setHello(Hello.newBuilder().setToken(ByteString.copyFrom(new byte[70_000])))
            .build();
    assertThatThrownBy(() -> ControlFrame.write(big, Unpooled.buffer()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have at most 65535");
  }

  @Test
  void aProofFitsItsKeyAndItsConnectionOnly() throws Exception {
    KeyPair device = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    KeyPair other = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] exporter = new byte[DeviceProof.EXPORTER_BYTES];
    byte[] proof = DeviceProof.sign(device.getPrivate(), exporter);
    assertThat(proof).hasSize(DeviceProof.SIGNATURE_BYTES);
    assertThat(DeviceProof.verify(device.getPublic(), exporter, proof)).isTrue();
    assertThat(DeviceProof.verify(other.getPublic(), exporter, proof)).isFalse();
    exporter[0] = 1;
    assertThat(DeviceProof.verify(device.getPublic(), exporter, proof)).isFalse();
    assertThat(DeviceProof.verify(device.getPublic(), exporter, new byte[64])).isFalse();
    assertThat(DeviceProof.verify(device.getPublic(), exporter, new byte[63])).isFalse();
    java.util.Arrays.fill(proof, (byte) 0xFF);
    assertThat(DeviceProof.verify(device.getPublic(), exporter, proof)).isFalse();
  }

  @Test
  void nothingBehindABrokenFrameIsRead() throws Exception {
    ControlFrames frames = new ControlFrames();
    ByteBuf arrived = Unpooled.buffer().writeInt(0x0700_0000);
    ControlFrame.write(GOODBYE, arrived);
    List<Object> read = new ArrayList<>();
    assertThatThrownBy(() -> frames.read(arrived, UNPOOLED, read))
        .isInstanceOf(ControlFrame.MalformedFrameException.class);
    frames.read(arrived, UNPOOLED, read);
    assertThat(read).isEmpty();
    assertThat(arrived.isReadable()).isFalse();
  }
}
