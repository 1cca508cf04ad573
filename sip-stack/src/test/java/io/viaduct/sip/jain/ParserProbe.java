package io.viaduct.sip.jain;

import gov.nist.javax.sip.parser.StringMsgParser;
import io.viaduct.sip.SipMessage;
import java.text.ParseException;

/// The stack's parser as messages reach it in service.
public final class ParserProbe {
  static {
    gov.nist.core.CommonLogger.legacyLogger = new SilentStackLogger();
  }

  private ParserProbe() {}

  public static void parseAsReceived(SipMessage message) throws ParseException {
    new StringMsgParser()
        .parseSIPMessage(
            TransactionView.received(message),
            true,
            false,
            (exception, _, _, _, _) -> {
              throw exception;
            });
  }
}
