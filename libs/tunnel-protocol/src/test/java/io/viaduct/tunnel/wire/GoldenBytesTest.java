package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.compound.GoldenRecords;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.PathRate;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.EpochKey;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.OuterHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Compares the bytes of docs/protocol.md with the bytes that the code writes. Each line `golden
/// NAME HEX` of the page is made here again. Keys and sealed datagrams on the page come from an
/// independent implementation (Python's hmac and cryptography).
class GoldenBytesTest {
  // A message of usage-protocol, whose GoldenDirectoryTest makes it.
  private static final String SIGNED_DIRECTORY =
      "0a3f0880d8c1a28c3412360a07736e6170742d32120a72656c61792e7465737418bb0320bb03"
          + "2a056e6f727468300238e0acc5a28c34401e4a07000000a0cb980112406807437c0d17685573"
          + "a2129f2e902afc7cc670feda0dc2c481e63a4cef178237ba886de7e4b4df4a3a745bdba8065c"
          + "f2410af7745fb55849bf6fad7c6952fd051a026b31";
  private static final Pattern LINE =
      Pattern.compile("^golden (\\S+) ([0-9a-f]+)$", Pattern.MULTILINE);

  private static SessionSecret secret() {
    byte[] bytes = new byte[32];
    for (int i = 0; i < 32; i++) {
      bytes[i] = (byte) i;
    }
    return SessionSecret.of(bytes);
  }

  /// Records the key that it was given.
  private static final class Recorder extends NullAead {
    String key = "";

    @Override
    public void seal(
        EpochKey epochKey,
        long sequence,
        byte[] body,
        int bodyAt,
        int bodyBytes,
        ByteBuf datagram,
        int at) {
      key = HexFormat.of().formatHex(epochKey.getEncoded());
    }
  }

  private static String sealed(AeadAlgorithm algorithm, int type) {
    Sealer sealer = new Sealer(new KeyChain(algorithm, secret(), Direction.UP), 0x0A0B0C, 0);
    byte[] body = HexFormat.of().parseHex("0050016869");
    ByteBuf out = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64));
    Aead aead = Ciphers.fastest(algorithm);
    int length = sealer.seal(aead, type, ServiceClass.HT_LD, body, 0, body.length, out, 0, 0);
    return ByteBufUtil.hexDump(out, 0, length);
  }

  private static String fragments() {
    AeadAlgorithm algorithm = AeadAlgorithm.AES_256_GCM;
    Sealer sealer = new Sealer(new KeyChain(algorithm, secret(), Direction.UP), 0x0A0B0C, 0);
    byte[] body = HexFormat.of().parseHex("0050016869");
    ByteBuf out = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64));
    int length =
        sealer.sealLong(
            Ciphers.fastest(algorithm),
            ServiceClass.HT_LD,
            body,
            0,
            body.length,
            new byte[FragmentHeader.SEALED_BYTES_MAX],
            out,
            FragmentHeader.LENGTH + 12,
            0);
    assertThat(sealer.sequence()).isEqualTo(2);
    return ByteBufUtil.hexDump(out, 0, length);
  }

  private static String key(Direction direction, int epoch) {
    Sealer sealer = new Sealer(new KeyChain(AeadAlgorithm.AES_256_GCM, secret(), direction), 1, 0);
    for (int e = 0; e < epoch; e++) {
      sealer.rotate(0);
    }
    Recorder recorder = new Recorder();
    sealer.seal(
        recorder,
        0,
        ServiceClass.LT_LD,
        new byte[1],
        0,
        1,
        Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64)),
        0,
        0);
    return recorder.key;
  }

  private static String path(PathMessage message) {
    byte[] bytes = new byte[PathMessage.BYTES_MAX];
    int length = PathMessage.write(message, bytes, 0);
    assertThat(PathMessage.read(bytes, 0, length)).isEqualTo(message);
    return HexFormat.of().formatHex(bytes, 0, length);
  }

  private static String frame(ControlMessage.Builder message) {
    ByteBuf buffer = Unpooled.buffer();
    ControlFrame.write(message.build(), buffer);
    return ByteBufUtil.hexDump(buffer);
  }

  private static Map<String, String> made() {
    Map<String, String> golden = new LinkedHashMap<>(GoldenRecords.made());
    byte[] header = new byte[DatagramHeader.LENGTH];
    DatagramHeader.write(
        Unpooled.wrappedBuffer(header), 0, 1, 6, ServiceClass.LT_HD, 0x010203, 0x1_2345_6789L);
    golden.put("header", HexFormat.of().formatHex(header));
    golden.put("key-up-0", key(Direction.UP, 0));
    golden.put("key-up-1", key(Direction.UP, 1));
    golden.put("key-down-0", key(Direction.DOWN, 0));
    golden.put("key-down-1", key(Direction.DOWN, 1));
    golden.put("datagram-aes-256-gcm", sealed(AeadAlgorithm.AES_256_GCM, DatagramHeader.TYPE_DATA));
    golden.put("datagram-copied", sealed(AeadAlgorithm.AES_256_GCM, DatagramHeader.TYPE_COPIED));
    golden.put(
        "datagram-chacha20-poly1305",
        sealed(AeadAlgorithm.CHACHA20_POLY1305, DatagramHeader.TYPE_DATA));
    golden.put("datagrams-fragment", fragments());
    golden.put(
        "path-probe",
        path(
            new PathMessage.Probe(
                9, 1_000_000, -250, 31_000, PathMessage.NO_PATH, 0, 0, null, null)));
    golden.put(
        "path-probe-reply",
        path(new PathMessage.ProbeReply(9, 1_000_000, 2, 3, PathMessage.NO_COUNT)));
    golden.put("path-challenge", path(new PathMessage.Challenge(0x0102030405060708L)));
    golden.put(
        "path-probe-several",
        path(new PathMessage.Probe(9, 1_000_000, -250, 31_000, 1, 3, 2, null, null)));
    golden.put(
        "path-probe-link",
        path(new PathMessage.Probe(9, 1_000_000, -250, 31_000, 1, 3, 2, "wlan0", null)));
    golden.put(
        "path-probe-sharing",
        path(
            new PathMessage.Probe(
                9,
                1_000_000,
                -250,
                31_000,
                1,
                3,
                2,
                null,
                new PathMeasurement(30_500, 150, 9_999, 80, 10_000, 2_500_000))));
    golden.put("path-response-several", path(new PathMessage.Response(0x0102030405060708L, 1)));
    golden.put(
        "path-response", path(new PathMessage.Response(0x0102030405060708L, PathMessage.NO_PATH)));
    golden.put("path-mtu-probe", path(new PathMessage.MtuProbe(7, 1400)));
    golden.put("path-mtu-ack", path(new PathMessage.MtuAck(7, 1400)));
    golden.put("path-carry-by", path(new PathMessage.CarryBy(true)));
    golden.put(
        "path-receipt",
        path(new PathMessage.Receipt(0x01020304, 0x05060708, -2, 1500, PathMessage.NO_COUNT)));
    golden.put(
        "path-probe-reply-several",
        path(new PathMessage.ProbeReply(9, 1_000_000, 2, 3, 0xfedcba98L)));
    golden.put(
        "path-receipt-several",
        path(new PathMessage.Receipt(0x01020304, 0x05060708, -2, 1500, 0xfedcba98L)));
    golden.put(
        "control-frame",
        frame(
            ControlMessage.newBuilder()
                .setKeepAlive(KeepAlive.newBuilder().setNumber(7).setReply(true))));
    golden.put(
        "control-boundary",
        frame(
            ControlMessage.newBuilder()
                .setIntervalBoundary(
                    IntervalBoundary.newBuilder()
                        .setEpoch(7)
                        .setSequence(2)
                        .setStartMs(1_790_000_000_000L)
                        .setEndMs(1_790_000_060_000L)
                        .setUpBytes(1_200)
                        .setDownBytes(450_000))));
    golden.put(
        "control-relays",
        frame(
            ControlMessage.newBuilder()
                .setRelays(
                    RelayList.newBuilder()
                        .addRelays(
                            Relay.newBuilder()
                                .setSnaptId("snapt-2")
                                .setHost("relay.test")
                                .setControlPort(443)
                                .setDataPort(443)
                                .setRegion("north")
                                .setState(Relay.State.DRAINING)
                                .setDrainDeadlineMs(1_790_000_060_000L)
                                .setLoadPercent(30)
                                .addAllSurcharges(List.of(0L, 0L, 0L, 2_500_000L)))
                        .setComplete(true))));
    golden.put(
        "control-signed-relays",
        frame(
            ControlMessage.newBuilder()
                .setRelays(
                    RelayList.newBuilder()
                        .addRelays(
                            Relay.newBuilder()
                                .setSnaptId("snapt-1")
                                .setHost("relay.test")
                                .setControlPort(443)
                                .setDataPort(443)
                                .setState(Relay.State.SERVING))
                        .setSignedDirectory(ByteString.fromHex(SIGNED_DIRECTORY)))));
    golden.put(
        "control-line-rate",
        frame(
            ControlMessage.newBuilder()
                .setLineRate(
                    LineRate.newBuilder()
                        .setBitPerSecond(10_000_000)
                        .addAllQueuedBytes(List.of(0L, 0L, 1_500L, 64_000L)))));
    golden.put(
        "control-line-rate-paths",
        frame(
            ControlMessage.newBuilder()
                .setLineRate(
                    LineRate.newBuilder()
                        .addAllQueuedBytes(List.of(0L, 0L, 0L, 0L))
                        .addPaths(PathRate.newBuilder().setSpareBitPerSecond(2_000_000))
                        .addPaths(PathRate.newBuilder().setPath(1).setBad(true)))));
    golden.put(
        "control-moved",
        frame(
            ControlMessage.newBuilder()
                .setMoved(
                    Moved.newBuilder()
                        .setNumber(9)
                        .setTo(
                            Relay.newBuilder()
                                .setSnaptId("snapt-2")
                                .setHost("relay.test")
                                .setControlPort(443)
                                .setDataPort(443)))));
    golden.put(
        "control-receipt-answer",
        frame(
            ControlMessage.newBuilder()
                .setReceiptAnswer(
                    ReceiptAnswer.newBuilder()
                        .setSignedReceipt(ByteString.copyFrom(new byte[] {0x0A, 0})))));
    return golden;
  }

  @Test
  void thePageShowsTheBytesThatTheCodeWrites() throws IOException {
    Map<String, String> page = new TreeMap<>();
    LINE.matcher(Files.readString(Path.of(System.getProperty("viaduct.root"), "docs/protocol.md")))
        .results()
        .forEach(line -> page.put(line.group(1), line.group(2)));
    assertThat(page).containsExactlyInAnyOrderEntriesOf(made());
  }

  /// Returns the bytes of the IPv4 packets of a probe and its answer.
  private static int probeBytes(String probe, String reply) {
    int headers = Sealer.OVERHEAD + OuterHeader.IPV4.bytes();
    return (made().get(probe).length() + made().get(reply).length()) / 2 + 2 * headers;
  }

  @Test
  void thePagesNameTheBytesOfAProbeAndItsAnswer() throws IOException {
    assertThat(probeBytes("path-probe", "path-probe-reply")).isEqualTo(158);
    Path root = Path.of(System.getProperty("viaduct.root"));
    int several = probeBytes("path-probe-several", "path-probe-reply-several");
    assertThat(Files.readString(root.resolve("docs/user.md"))).contains(several + " bytes of IP");
    int sharing = probeBytes("path-probe-sharing", "path-probe-reply-several");
    assertThat(Files.readString(root.resolve("docs/peers.md"))).contains(sharing + " bytes of IP");
  }

  /// Prints the lines for the page.
  public static void main(String[] arguments) {
    made().forEach((name, hex) -> System.out.println("golden " + name + " " + hex));
  }
}
