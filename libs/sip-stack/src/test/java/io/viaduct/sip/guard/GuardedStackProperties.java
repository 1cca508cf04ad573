package io.viaduct.sip.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.viaduct.sip.RecordedSeed;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.jain.ParserProbe;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Mutates requests and responses: the guard never throws, and the stack's parser ends on every
/// response that the guard accepts. No request reaches the stack.
class GuardedStackProperties {
  private static final int ROUNDS = 60_000;
  private static final List<String> SNIPPETS =
      List.of(
          "\\",
          "(",
          ")",
          "\"",
          "<",
          ">",
          ";",
          ",",
          ":",
          "=",
          "%",
          "@",
          " ",
          "\t",
          "\r\n",
          "\r\n ",
          "\0",
          "\u007f",
          "é",
          "(\\",
          "\"\\",
          "[",
          "]",
          "99999999999",
          "-1",
          "SIP/2.0/UDP",
          "sip:",
          "v: ",
          "i: ",
          "Content-Length: 0\r\n",
          ";branch=",
          ";received=",
          ";rport",
          "tel:+1",
          "//");
  private static final String HEADERS =
      """
      Via: SIP/2.0/UDP host.ims.test:5060;branch=z9hG4bKx;rport
      From: "Alice" <sip:alice@ims.test>;tag=1
      To: <sip:alice@ims.test>
      Call-ID: a@b
      CSeq: 7 REGISTER
      Max-Forwards: 70
      Contact: <sip:alice@10.0.0.1:5060;transport=udp>;expires=60
      Expires: 60
      Content-Length: 0

      """
          .replace("\n", "\r\n");

  private static final List<String> BASES =
      List.of("REGISTER sip:ims.test SIP/2.0\r\n" + HEADERS, "SIP/2.0 200 OK\r\n" + HEADERS);

  private static String mutate(Random random) {
    StringBuilder message = new StringBuilder(BASES.get(random.nextInt(BASES.size())));
    int edits = 1 + random.nextInt(4);
    for (int i = 0; i < edits; i++) {
      int at = random.nextInt(message.length());
      switch (random.nextInt(3)) {
        case 0 -> message.deleteCharAt(at);
        case 1 -> message.insert(at, SNIPPETS.get(random.nextInt(SNIPPETS.size())));
        default -> message.setCharAt(at, (char) random.nextInt(256));
      }
    }
    return message.toString();
  }

  private static void requireThatTheStackEnds(SipMessage message) {
    try {
      if (message instanceof SipResponse response) {
        ParserProbe.parseAsReceived(response);
      }
    } catch (ParseException _) {
      // counted as STACK_PARSER in service; it matters only that it ended
    }
  }

  @Test
  void noMutationMakesTheGuardThrowOrTheParserBehindItHang() throws Exception {
    long seed = RecordedSeed.take("GuardedStackProperties");
    Random random = new Random(seed);
    MessageGuard guard = new MessageGuard(GuardLimits.STANDARD);
    int[] passed = {0};
    CompletableFuture<Void> work =
        CompletableFuture.runAsync(() -> {
          for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = mutate(random).getBytes(StandardCharsets.UTF_8);
            if (guard.datagram(bytes) instanceof Verdict.Accepted(var message)) {
              passed[0]++;
              requireThatTheStackEnds(message);
            }
          }
        });
    assertThatCode(() -> work.get(Duration.ofSeconds(90).toMillis(), TimeUnit.MILLISECONDS))
        .as("seed %d", seed)
        .doesNotThrowAnyException();
    assertThat(passed[0]).as("seed %d", seed).isGreaterThan(ROUNDS / 50);
  }
}
