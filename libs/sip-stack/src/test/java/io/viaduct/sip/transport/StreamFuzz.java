package io.viaduct.sip.transport;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Bytes of a SIP connection. Input: one octet with the length of a piece, then the bytes. Rule: no
/// exception, and the messages do not depend on how TCP cut them.
final class StreamFuzz {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  private static final class MessageCollector implements Receiver {
    final List<byte[]> messages = new ArrayList<>();

    @Override
    public void onVerdict(Verdict verdict, SipFlow flow) {
      if (verdict instanceof Verdict.Accepted(var message)) {
        messages.add(message.encode());
      }
    }

    @Override
    public void onRefused(Refusal reason) {}
  }

  private static final class Connection extends EmbeddedChannel {
    Connection(StreamFramer framer) {
      super(framer);
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress("192.0.2.7", 5060);
    }
  }

  private static List<byte[]> feed(byte[] input, int from, int piece) {
    MessageCollector heard = new MessageCollector();
    Connection connection =
        new Connection(new StreamFramer(Transport.TCP, GUARD, heard, Duration.ofHours(1)));
    for (int at = from; at < input.length && connection.isOpen(); at += piece) {
      connection.writeInbound(Unpooled.copiedBuffer(input, at, Math.min(piece, input.length - at)));
    }
    connection.finishAndReleaseAll();
    return heard.messages;
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 2) {
      return;
    }
    List<byte[]> whole = feed(input, 1, input.length);
    List<byte[]> pieces = feed(input, 1, Math.max(1, input[0] & 0xFF));
    boolean same = whole.size() == pieces.size();
    for (int i = 0; same && i < whole.size(); i++) {
      same = Arrays.equals(whole.get(i), pieces.get(i));
    }
    if (!same) {
      throw new AssertionError(whole.size() + " messages at once, in pieces " + pieces.size());
    }
  }

  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] message : SipSeeds.all()) {
      byte[] twice = new byte[1 + 2 * message.length];
      twice[0] = 7;
      System.arraycopy(message, 0, twice, 1, message.length);
      System.arraycopy(message, 0, twice, 1 + message.length, message.length);
      seeds.add(twice);
    }
    return seeds;
  }
}
