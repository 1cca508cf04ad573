package io.viaduct.sip;

import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Verdict;
import io.viaduct.sip.jain.ParserProbe;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A datagram's way to whoever handles it, without sockets and transactions: the guard, the source
/// in the Via, the stack's parser.
public final class Arrival {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  // An answer is longer than its request: bounds of what we send are not those of what we take.
  private static final MessageGuard PEER =
      new MessageGuard(new GuardLimits(65_536, 65_536, 256, 8_192, 64));

  private Arrival() {}

  /// The datagrams of a fuzzer's input: between two stands a zero octet, which no head may hold.
  public static List<byte[]> datagrams(byte[] input) {
    List<byte[]> found = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= input.length; i++) {
      if (i == input.length || input[i] == 0) {
        found.add(Arrays.copyOfRange(input, start, i));
        start = i + 1;
      }
    }
    return found;
  }

  /// The input that these datagrams come from, lines ended by a line feed alone.
  public static byte[] input(String... datagrams) {
    return String.join("\0", datagrams).replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  /// What is handled in the end: a request with its source, a response without our Via; empty if
  /// somebody on the way refuses it.
  public static Optional<SipMessage> of(byte[] datagram, SipFlow flow) {
    if (!(GUARD.datagram(datagram) instanceof Verdict.Accepted(SipMessage message))) {
      return Optional.empty();
    }
    SipMessage arrived =
        message instanceof SipRequest request ? TopmostVia.stampSource(request, flow) : message;
    try {
      ParserProbe.parseAsReceived(arrived);
    } catch (ParseException | StackOverflowError _) {
      return Optional.empty(); // counted as STACK_PARSER in service
    }
    return Optional.of(
        arrived instanceof SipResponse response
            ? SipEndpoint.withoutTopmostVia(response)
            : arrived);
  }

  /// Checks what we send.
  ///
  /// @throws AssertionError unless a peer's guard takes it, and reads what was meant
  public static void requireSound(SipMessage message) {
    byte[] bytes = message.encode();
    if (!(PEER.datagram(bytes) instanceof Verdict.Accepted(SipMessage read))
        || !Arrays.equals(read.encode(), bytes)) {
      throw new AssertionError(
          PEER.datagram(bytes) + " of " + new String(bytes, StandardCharsets.UTF_8));
    }
  }
}
