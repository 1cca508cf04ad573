package io.viaduct.sip.jain;

import gov.nist.javax.sip.parser.StringMsgParser;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import java.text.ParseException;

/// Calls the stack's parser as for received messages, and as for requests before they are sent.
public final class ParserProbe {
  static {
    gov.nist.core.CommonLogger.legacyLogger = new SilentStackLogger();
  }

  private ParserProbe() {}

  public static void parseAsReceived(SipMessage message) throws ParseException {
    parse(TransactionView.received(message));
  }

  /// Parses a request as before its sending.
  ///
  /// @param request with its topmost Via
  public static void parseToSend(SipRequest request) throws ParseException {
    parse(TransactionView.sent(request));
  }

  private static void parse(byte[] view) throws ParseException {
    new StringMsgParser()
        .parseSIPMessage(
            view,
            true,
            false,
            (exception, _, _, _, _) -> {
              throw exception;
            });
  }
}
