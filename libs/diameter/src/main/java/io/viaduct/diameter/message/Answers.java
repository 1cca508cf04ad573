package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.Dictionary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Builds answers with the AVPs that every answer has.
///
/// @param host Origin-Host
/// @param realm Origin-Realm
public record Answers(Dictionary dictionary, String host, String realm) {
  private static final int PROTOCOL_ERROR = 3;

  /// Returns the beginning of the answer to a request: Session-Id, Result-Code, Origin-Host,
  /// Origin-Realm and Proxy-Info.
  public AvpBuilder begin(AvpGroup request, int resultCode) {
    AvpBuilder answer = new AvpBuilder(dictionary);
    request.all("Session-Id").limit(1).forEach(answer::add);
    answer.add("Result-Code", resultCode).add("Origin-Host", host).add("Origin-Realm", realm);
    request.all("Proxy-Info").forEach(answer::add);
    return answer;
  }

  /// Returns the answer to a request with these AVPs.
  public DiameterMessage of(DiameterHeader request, int resultCode, AvpBuilder avps) {
    boolean error = resultCode / 1000 == PROTOCOL_ERROR;
    return new DiameterMessage(request.answer(error), avps.build());
  }

  /// Returns an answer with a Result-Code and nothing else.
  public DiameterMessage plain(DiameterMessage request, int resultCode) {
    return of(request.header(), resultCode, begin(request.avps(), resultCode));
  }

  /// Returns the answer to a refused request, or null if the message was an answer or has no
  /// header.
  public @Nullable DiameterMessage refusal(Verdict.Refused refused) {
    DiameterHeader header = refused.header();
    if (header == null || !header.request()) {
      return null;
    }
    int code = refused.reason().resultCode();
    AvpBuilder answer = begin(refused.known(), code);
    answer.add("Error-Message", refused.reason().name().toLowerCase(Locale.ROOT));
    Avp failed = refused.failed();
    if (failed != null) {
      answer.group("Failed-AVP", group -> group.add(failed));
    }
    return of(header, code, answer);
  }
}
