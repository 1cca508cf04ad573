package io.viaduct.sip.jain;

import gov.nist.javax.sip.parser.StringMsgParser;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import java.text.ParseException;

/// The stack's parser as messages reach it in service, and as requests do before they are sent.
public final class ParserProbe {
  static {
    gov.nist.core.CommonLogger.legacyLogger = new SilentStackLogger();
  }

  private ParserProbe() {}

  public static void parseAsReceived(SipMessage message) throws ParseException {
    parse(TransactionView.received(message));
  }

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
