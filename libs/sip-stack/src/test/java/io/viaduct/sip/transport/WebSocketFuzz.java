package io.viaduct.sip.transport;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Bytes of a connection to the WebSocket listener. Input: one octet with the length of a piece,
/// one whose lowest bit says that the connection is upgraded already, then the bytes. Rule: no
/// exception reaches the end of the pipeline, at most twice the bytes come back and a kibibyte, all
/// buffers are released, and the messages of an upgraded connection do not depend on how TCP cut
/// them.
final class WebSocketFuzz {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);
  private static final Duration LONG = Duration.ofHours(1);
  private static final SocketSettings SETTINGS =
      new SocketSettings(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          0,
          1,
          1,
          LONG,
          LONG,
          LONG,
          LONG);

  private static final byte[] UPGRADE =
      """
      GET / HTTP/1.1
      Host: ims.test
      Upgrade: websocket
      Connection: Upgrade
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
      Sec-WebSocket-Protocol: sip
      Sec-WebSocket-Version: 13

      """
          .replace("\n", "\r\n")
          .getBytes(StandardCharsets.US_ASCII);

  private static final int ANSWER_BYTES = 1024;
  private static final byte[] MASK = {1, 2, 3, 4};

  private static final class Connection extends EmbeddedChannel implements Receiver {
    final List<byte[]> messages = new ArrayList<>();
    final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
    long written;

    Connection() {
      config().setAllocator(memory);
      WebSocketFrames.install(pipeline(), Transport.WS, SETTINGS, GUARD, this);
    }

    void receive(byte[] bytes, int from, int piece) {
      for (int at = from; at < bytes.length && isOpen(); at += piece) {
        writeInbound(memory.buffer().writeBytes(bytes, at, Math.min(piece, bytes.length - at)));
        count();
      }
    }

    private void count() {
      for (Object sent = readOutbound(); sent != null; sent = readOutbound()) {
        // A real channel refuses the close frame of a connection that is not upgraded yet.
        written += sent instanceof ByteBuf answer ? answer.readableBytes() : 0;
        ReferenceCountUtil.release(sent);
      }
    }

    @Override
    public boolean finishAndReleaseAll() {
      boolean any = super.finishAndReleaseAll();
      var metric = memory.metric();
      if (metric.usedHeapMemory() + metric.usedDirectMemory() != 0) {
        throw new AssertionError("a buffer was not released: " + metric);
      }
      return any;
    }

    @Override
    public void onVerdict(Verdict verdict, SipFlow flow) {
      if (verdict instanceof Verdict.Accepted(var message)) {
        messages.add(message.encode());
      }
    }

    @Override
    public void onRefused(Refusal reason) {}

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress("192.0.2.7", 5060);
    }
  }

  private static List<byte[]> feed(byte[] input, int piece) {
    Connection connection = new Connection();
    long most = 2L * input.length + ANSWER_BYTES;
    if (isUpgraded(input)) {
      connection.receive(UPGRADE, 0, UPGRADE.length);
    }
    connection.receive(input, 2, piece);
    connection.finishAndReleaseAll();
    if (connection.written > most) {
      throw new AssertionError(connection.written + " bytes were sent for " + input.length);
    }
    return connection.messages;
  }

  private static boolean isUpgraded(byte[] input) {
    return (input[1] & 1) == 1;
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 3) {
      return;
    }
    List<byte[]> whole = feed(input, input.length);
    List<byte[]> pieces = feed(input, Math.max(1, input[0] & 0xFF));
    boolean same = whole.size() == pieces.size();
    for (int i = 0; same && i < whole.size(); i++) {
      same = Arrays.equals(whole.get(i), pieces.get(i));
    }
    // A client that sends frames together with its upgrade has not waited for the answer.
    if (!same && isUpgraded(input)) {
      throw new AssertionError(whole.size() + " messages at once, in pieces " + pieces.size());
    }
  }

  /// Returns a frame of a client (RFC 6455 section 5.2).
  private static byte[] frame(int first, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(8 + payload.length);
    frame.put((byte) first);
    if (payload.length < 126) {
      frame.put((byte) (0x80 | payload.length));
    } else {
      frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
    }
    frame.put(MASK);
    for (int i = 0; i < payload.length; i++) {
      frame.put((byte) (payload[i] ^ MASK[i % MASK.length]));
    }
    return Arrays.copyOf(frame.array(), frame.position());
  }

  private static byte[] input(int piece, int upgraded, byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(2 + Arrays.stream(parts).mapToInt(p -> p.length).sum());
    all.put((byte) piece).put((byte) upgraded);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] message : SipSeeds.all()) {
      seeds.add(input(7, 1, frame(0x81, message), frame(0x82, message)));
    }
    byte[] message = SipSeeds.all().getFirst();
    byte[] half = Arrays.copyOf(message, message.length / 2);
    byte[] rest = Arrays.copyOfRange(message, half.length, message.length);
    byte[] ping = frame(0x89, new byte[] {1, 2, 3});
    seeds.add(input(5, 1, frame(0x01, half), ping, frame(0x80, rest), frame(0x88, new byte[0])));
    seeds.add(input(3, 1, frame(0x01, half), frame(0x81, message))); // a fragment left open
    seeds.add(input(1, 1, frame(0xC1, half))); // a reserved bit
    seeds.add(input(9, 1, frame(0x81, "\r\n\r\n".getBytes(StandardCharsets.US_ASCII))));
    seeds.add(input(9, 0, UPGRADE));
    seeds.add(input(9, 0, UPGRADE, frame(0x81, message)));
    for (String other :
        List.of(
            "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999\r\n\r\n",
            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            new String(UPGRADE, StandardCharsets.US_ASCII).replace("Version: 13", "Version: 99"),
            new String(UPGRADE, StandardCharsets.US_ASCII)
                .replace("Protocol: sip", "Protocol: x"))) {
      seeds.add(input(4, 0, other.getBytes(StandardCharsets.US_ASCII)));
    }
    return seeds;
  }
}
