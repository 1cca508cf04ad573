package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/// The addresses `balance` and `report` of the domain: a MESSAGE (RFC 3428) of a registered user
/// asks there, and the answer is a MESSAGE to the contact that asked. "balance" is answered with
/// balance and today's spend, "report" with the latest reports, everything else with the list of
/// what can be asked. A MESSAGE with a device's report is for [Reports]. A user of that name has
/// the address instead. Thread-safe.
public final class ServiceDesk implements SipService.Desk {
  static final Set<String> ADDRESSES = Set.of("balance", "report");
  private static final int REPORTS = 5; // about 300 characters

  private static final String TEXT = "text/plain";

  /// Takes reports of devices that come by MESSAGE.
  public interface Reports {
    /// Returns the type of their body.
    String type();

    /// Serves a request of a user who has authenticated.
    void onReport(IncomingRequest request);
  }

  private final String domain;
  private final Authentication authentication;
  private final Subscribers subscribers;
  private final LocationService locations;
  private final AccountFacts.Source accounts;
  private final Reports reports;
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
      Reports reports,
      SipMeters meters,
      Duration patience,
      InstantSource clock) {
    this.domain = domain;
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.locations = locations;
    this.accounts = accounts;
    this.reports = reports;
    this.meters = meters;
    this.patience = patience;
    this.clock = clock;
  }

  @Override
  public boolean isAddressed(SipRequest message) {
    return address(message).filter(name -> !subscribers.contains(name)).isPresent();
  }

  private Optional<String> address(SipRequest message) {
    return authentication
        .localUser(new NameAddress(message.uri(), Map.of()))
        .filter(ADDRESSES::contains);
  }

  @Override
  public void onMessage(IncomingRequest request, RequestSender out) {
    SipRequest message = request.message();
    Optional<String> user = authentication.subscriber(request);
    if (user.isEmpty()) {
      return;
    }
    String type = type(message);
    if (type.equalsIgnoreCase(reports.type())) {
      reports.onReport(request);
      return;
    }
    List<Binding> contacts = contacts(user.get(), request);
    if (contacts.isEmpty()) {
      meters.count(Refusal.SUBSCRIBER_NOT_REGISTERED);
      request.answer(
          Refusal.SUBSCRIBER_NOT_REGISTERED.response(
              message, domain, "register a contact that takes MESSAGE: the answer goes there"));
      return;
    }
    if (!type.equalsIgnoreCase(TEXT)) {
      meters.count(Refusal.UNSUPPORTED_TYPE);
      request.answer(Refusal.UNSUPPORTED_TYPE.response(message, domain).with("Accept", TEXT));
      return;
    }
    meters.count(SipMeters.Event.QUESTION_ASKED);
    request.answer(200);
    Reply reply = new Reply(address(message).orElseThrow(), user.get(), contacts, out);
    switch (DeskWords.question(message.body().text())) {
      case HELP -> reply(reply, DeskWords::help);
      case BALANCE -> ask(reply, 0, DeskWords::balance);
      case REPORT -> ask(reply, REPORTS, DeskWords::reports);
    }
  }

  private static String type(SipRequest message) {
    return message.headers().first("Content-Type").orElse(TEXT).split(";", 2)[0].strip();
  }

  /// Where an answer goes.
  ///
  /// @param address that was asked
  private record Reply(String address, String user, List<Binding> contacts, RequestSender out) {}

  private void ask(Reply reply, int count, BiFunction<AccountFacts, Locale, String> words) {
    var unused =
        accounts
            .ask(reply.user(), count)
            .whenComplete((facts, _) ->
                reply(
                    reply,
                    language ->
                        facts == null ? DeskWords.away(language) : words.apply(facts, language)));
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

  private void reply(Reply to, Function<Locale, String> words) {
    new Fork(
            InstanceFlows.targets(to.contacts()),
            contact ->
                Fork.Branch.of(
                    InstanceFlows.send(
                            contact,
                            to.contacts(),
                            flow ->
                                to.out()
                                    .send(
                                        answer(to, flow, words.apply(flow.language())),
                                        flow.flow()),
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

  private SipRequest answer(Reply to, Binding contact, String words) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", "<sip:%s@%s>;tag=%s".formatted(to.address(), domain, SipEndpoint.token()))
            .with("To", "<sip:%s@%s>".formatted(to.user(), domain))
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "1 MESSAGE")
            .with("Content-Language", contact.language().toLanguageTag());
    return new SipRequest("MESSAGE", contact.contact(), contact.ofService(headers))
        .withBody("text/plain;charset=UTF-8", SipBody.of(words));
  }
}
