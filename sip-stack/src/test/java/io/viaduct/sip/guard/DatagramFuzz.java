package io.viaduct.sip.guard;

import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipSeeds;
import io.viaduct.sip.jain.ParserProbe;
import java.text.ParseException;
import java.util.List;

/// Datagrams at the SIP port. Rules: the guard never throws; what it lets through can be asked for
/// what it checked, is taken again when written again, and ends in the parser of the stack behind
/// it.
public final class DatagramFuzz {
  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  private DatagramFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (!(GUARD.datagram(input) instanceof Verdict.Accepted(SipMessage message))) {
      return;
    }
    message.from();
    message.to();
    message.cseq();
    message.callId();
    message.headers().values("Via");
    byte[] again = message.encode();
    if (again.length <= GuardLimits.STANDARD.headBytes()
        && !(GUARD.datagram(again) instanceof Verdict.Accepted)) {
      throw new AssertionError("accepted, but not as it is written: " + GUARD.datagram(again));
    }
    try {
      ParserProbe.parseAsReceived(message);
    } catch (ParseException _) {
      return; // counted as STACK_PARSER in service
    }
  }

  public static List<byte[]> seeds() {
    return SipSeeds.all();
  }
}
