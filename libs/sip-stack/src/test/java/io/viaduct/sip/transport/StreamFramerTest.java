package io.viaduct.sip.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Keep-alives on a connection (RFC 5626 section 4.4.1), as TCP may cut them.
class StreamFramerTest {
  private static final class Connection extends EmbeddedChannel {
    Connection(Receiver receiver) {
      super(
          new StreamFramer(
              Transport.TCP,
              new MessageGuard(GuardLimits.STANDARD),
              receiver,
              Duration.ofHours(1)));
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress("192.0.2.7", 5060);
    }
  }

  private final List<String> heard = new ArrayList<>();
  private final Connection connection =
      new Connection(
          new Receiver() {
            @Override
            public void onVerdict(Verdict verdict, SipFlow flow) {
              heard.add(verdict instanceof Verdict.KeepAlive ? "ping" : "message");
            }

            @Override
            public void onRefused(Refusal reason) {
              heard.add(reason.toString());
            }
          });

  private void receive(byte[] bytes) {
    connection.writeInbound(Unpooled.copiedBuffer(bytes));
  }

  private void receiveLineEnds(int bytes, int offset) {
    String ends = "\r\n".repeat(bytes);
    receive(ends.substring(offset, offset + bytes).getBytes(StandardCharsets.US_ASCII));
  }

  /// Pieces are lengths in bytes.
  @ParameterizedTest
  @CsvSource({
    "4, 1",
    "2 2, 1",
    "1 1 1 1, 1",
    "3 1, 1",
    "8, 2",
    "2 4 2, 2",
    "6, 1",
    "2 4, 1",
    "2, 0",
    "3, 0"
  })
  void eachTwoLineEndsAreAPing(String pieces, int pings) {
    int at = 0;
    for (String piece : pieces.split(" ")) {
      receiveLineEnds(Integer.parseInt(piece), at % 2);
      at += Integer.parseInt(piece);
    }
    assertThat(heard).isEqualTo(Collections.nCopies(pings, "ping"));
  }

  @Test
  void aLineEndBeforeAMessageIsNoPartOfAPingBehindIt() {
    receiveLineEnds(2, 0);
    receive(SipSeeds.all().getFirst());
    receiveLineEnds(2, 0);
    assertThat(heard).containsExactly("message");
    receiveLineEnds(2, 0);
    assertThat(heard).containsExactly("message", "ping");
  }
}
