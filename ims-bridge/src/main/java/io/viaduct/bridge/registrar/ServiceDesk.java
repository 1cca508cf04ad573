package io.viaduct.bridge.registrar;

import io.viaduct.bridge.registrar.DeskWords.Question;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// The address `balance` of the domain: a MESSAGE (RFC 3428) of a registered user asks there, and
/// the answer is a MESSAGE to the contact that asked. "balance" is answered with balance and
/// today's spend, everything else with the list of what can be asked. A user of that name has the
/// address instead. Thread-safe.
public final class ServiceDesk implements SipService.Desk {
  static final String ADDRESS = "balance";
  private static final String TEXT = "text/plain";

  private final String domain;
  private final Authentication authentication;
  private final Subscribers subscribers;
  private final LocationService locations;
  private final AccountFacts.Source accounts;
  private final SipMeters meters;
  private final Duration patience;
  private final InstantSource clock;

  /// @param patience longest wait for one contact
  public ServiceDesk(
      String domain,
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      AccountFacts.Source accounts,
      SipMeters meters,
      Duration patience,
      InstantSource clock) {
    this.domain = domain;
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.locations = locations;
    this.accounts = accounts;
    this.meters = meters;
    this.patience = patience;
    this.clock = clock;
  }

  @Override
  public boolean isAddressed(SipRequest message) {
    return authentication
            .localUser(new NameAddress(message.uri(), Map.of()))
            .filter(ADDRESS::equals)
            .isPresent()
        && !subscribers.contains(ADDRESS);
  }

  @Override
  public void onMessage(IncomingRequest request, RequestSender out) {
    SipRequest message = request.message();
    Optional<String> user = authentication.subscriber(request);
    if (user.isEmpty()) {
      return;
    }
    List<Binding> contacts = contacts(user.get(), request);
    if (contacts.isEmpty()) {
      meters.count(Refusal.SUBSCRIBER_NOT_REGISTERED);
      request.answer(
          SipResponse.to(message, Refusal.SUBSCRIBER_NOT_REGISTERED.status())
              .withWarning(domain, "register a contact that takes MESSAGE: the answer goes there"));
      return;
    }
    if (!message
        .headers()
        .first("Content-Type")
        .orElse(TEXT)
        .split(";", 2)[0]
        .strip()
        .equalsIgnoreCase(TEXT)) {
      meters.count(Refusal.UNSUPPORTED_TYPE);
      request.answer(
          SipResponse.to(message, Refusal.UNSUPPORTED_TYPE.status()).with("Accept", TEXT));
      return;
    }
    meters.count(SipMeters.Event.QUESTION_ASKED);
    request.answer(200);
    if (DeskWords.question(message.body().text()) == Question.HELP) {
      reply(user.get(), contacts, out, DeskWords::help);
      return;
    }
    var unused =
        accounts
            .ask(user.get())
            .whenComplete((facts, _) ->
                reply(
                    user.get(),
                    contacts,
                    out,
                    language ->
                        facts == null
                            ? DeskWords.away(language)
                            : DeskWords.balance(facts, language)));
  }

  /// Returns the contact on whose flow the question came; all that take messages if there is none.
  private List<Binding> contacts(String user, IncomingRequest request) {
    List<Binding> readers =
        locations.bindings(user, clock.instant()).stream()
            .filter(each -> each.allows("MESSAGE"))
            .toList();
    List<Binding> asking =
        readers.stream().filter(each -> each.flow().equals(request.flow())).toList();
    return asking.isEmpty() ? readers : asking;
  }

  private void reply(
      String user, List<Binding> contacts, RequestSender out, Function<Locale, String> words) {
    new Fork(
            InstanceFlows.targets(contacts),
            contact ->
                Fork.Branch.of(
                    InstanceFlows.send(
                            contact,
                            contacts,
                            flow ->
                                out.send(
                                    answer(user, flow, words.apply(flow.language())), flow.flow()),
                            locations::drop)
                        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)),
            meters::countMessage,
            best ->
                meters.count(
                    best.isAcceptance()
                        ? SipMeters.Event.QUESTION_ANSWERED
                        : SipMeters.Event.ANSWER_NOT_TAKEN))
        .start();
  }

  private SipRequest answer(String user, Binding contact, String words) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", "<sip:%s@%s>;tag=%s".formatted(ADDRESS, domain, SipEndpoint.token()))
            .with("To", "<sip:%s@%s>".formatted(user, domain))
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "1 MESSAGE")
            .with("Content-Language", contact.language().toLanguageTag());
    return new SipRequest("MESSAGE", contact.contact(), contact.ofService(headers))
        .withBody("text/plain;charset=UTF-8", SipBody.of(words));
  }
}
