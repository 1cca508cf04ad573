package io.viaduct.sip.jain;

import gov.nist.javax.sip.parser.StringMsgParser;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.text.ParseException;

/// Calls the stack's parser as for received responses, and as for requests before they are sent.
public final class ParserProbe {
  static {
    gov.nist.core.CommonLogger.legacyLogger = new SilentStackLogger();
  }

  private ParserProbe() {}

  public static void parseAsReceived(SipResponse response) throws ParseException {
    parse(TransactionView.received(response));
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
