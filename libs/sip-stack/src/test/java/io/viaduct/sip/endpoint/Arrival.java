package io.viaduct.sip.endpoint;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
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

/// Takes a datagram through the guard, a request's source into its Via and a response through the
/// stack's parser, as an endpoint does. It uses neither sockets nor transactions.
public final class Arrival {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  // An answer is longer than its request, so a peer's bounds are larger than ours.
  private static final MessageGuard PEER =
      new MessageGuard(new GuardLimits(65_536, 65_536, 256, 8_192, 64));

  private Arrival() {}

  /// Splits a fuzzer's input into datagrams at zero octets, which no head may hold.
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

  /// Joins datagrams into a fuzzer's input; each line feed becomes CR LF.
  public static byte[] input(String... datagrams) {
    return String.join("\0", datagrams).replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  /// Returns the message as it reaches its handler: a request with its source, a response without
  /// our Via. Empty if the guard or the parser refuses it.
  public static Optional<SipMessage> of(byte[] datagram, SipFlow flow) {
    if (!(GUARD.datagram(datagram) instanceof Verdict.Accepted(SipMessage message))) {
      return Optional.empty();
    }
    return switch (message) {
      case SipRequest request -> Optional.of(TopmostVia.stampSource(request, flow));
      case SipResponse response -> parsed(response);
    };
  }

  private static Optional<SipMessage> parsed(SipResponse response) {
    try {
      ParserProbe.parseAsReceived(response);
    } catch (ParseException | StackOverflowError _) {
      return Optional.empty(); // counted as STACK_PARSER in service
    }
    return Optional.of(SipEndpoint.withoutTopmostVia(response));
  }

  /// Checks a message that we send.
  ///
  /// @throws AssertionError unless a peer's guard accepts it and reads the same content
  public static void requireSound(SipMessage message) {
    byte[] bytes = message.encode();
    if (!(PEER.datagram(bytes) instanceof Verdict.Accepted(SipMessage read))
        || !Arrays.equals(read.encode(), bytes)) {
      throw new AssertionError(
          PEER.datagram(bytes) + " of " + new String(bytes, StandardCharsets.UTF_8));
    }
  }
}
