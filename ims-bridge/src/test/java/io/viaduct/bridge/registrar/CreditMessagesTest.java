package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.usage.v1.CreditNotice;
import io.viaduct.usage.v1.CreditState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Notices of credit on their way from billing to user agents, through a real bridge.
@Timeout(120)
class CreditMessagesTest {
  private static final String LOW =
      "Your credit is 4.89 den, which is less than 5.00 den. At 0 den new connections are refused."
          + " Top up to go on without a break.";

  @TempDir Path directory;
  private BridgeRig rig;
  private long lastId;
  private final List<Contact> contacts = new ArrayList<>();
  private final List<InstantMessage> read = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig =
        new BridgeRig(
            directory, BridgeRig.NO_BILLING, text -> text.replace("contacts: 2", "contacts: 4"));
  }

  @AfterEach
  void stop() throws Exception {
    contacts.forEach(Contact::close);
    rig.close();
  }

  private Contact alice(int status, String languages) throws Exception {
    Contact contact = new Contact(status);
    contacts.add(contact);
    contact.register("alice", rig.bridge.sipPort(), "", languages);
    return contact;
  }

  private void userAgent(boolean takesMessages) throws Exception {
    UserAgent agent =
        rig.userAgent(
            "alice",
            Transport.UDP,
            new UserAgentListener() {
              @Override
              public boolean takesMessages() {
                return takesMessages;
              }

              @Override
              public void onMessage(InstantMessage message) {
                read.add(message);
              }
            });
    agent.register();
    await().until(() -> agent.state().isRegistered());
  }

  private void notice(CreditState state, long microdenarii, Instant at) {
    lastId++;
    rig.users.put(
        rig.users.subscriber("alice").toBuilder()
            .setCredit(state)
            .setNotice(
                CreditNotice.newBuilder()
                    .setId(lastId)
                    .setState(state)
                    .setCreditMicrodenarii(microdenarii)
                    .setThresholdMicrodenarii(5_000_000)
                    .setNoticedMs(at.toEpochMilli()))
            .build());
  }

  private void notice(CreditState state, long microdenarii) {
    notice(state, microdenarii, rig.clock.instant());
  }

  private double outcome(String outcome) {
    return rig.counter("viaduct_bridge_credit_messages", "outcome", outcome);
  }

  private void until(String outcome, int count) {
    await().until(() -> outcome(outcome) == count);
  }

  @Test
  void aUserAgentReadsEachChangeOnceInPlainWords() throws Exception {
    userAgent(true);
    notice(CreditState.LOW, 4_899_999);
    until("delivered", 1);
    assertThat(read).containsExactly(new InstantMessage("sip:ims.test", "text/plain", LOW));
    rig.users.put(rig.users.subscriber("alice").toBuilder().setSuspended(false).build());
    notice(CreditState.EXHAUSTED, -1);
    until("delivered", 2);
    assertThat(read).hasSize(2);
    assertThat(read.getLast().text())
        .isEqualTo(
            "Your credit is used up: -0.01 den are left. New connections are refused until you top up.");
  }

  @ParameterizedTest
  @CsvSource({
    "'it-CH, en;q=0.5', it, Il tuo credito",
    "ja, ja, 残高は 4.89 den",
    "ko, ko, 잔액이 4.89 den",
    "pl, pl, Twoje środki to 4.89 den",
    "fr, en, Your credit is",
    "'*;q=x, §', en, Your credit is"
  })
  void theWordsAreInTheLanguageOfTheContact(String accepted, String language, String begin)
      throws Exception {
    Contact phone = alice(200, accepted);
    notice(CreditState.LOW, 4_899_999);
    until("delivered", 1);
    SipRequest message = phone.received.getFirst();
    assertThat(message.body().text()).startsWith(begin);
    assertThat(message.headers().require("Content-Language")).isEqualTo(language);
  }

  @Test
  void nothingIsSentToAUserWithoutAContactOrWithoutOneThatReadsMessages() throws Exception {
    notice(CreditState.LOW, 4_000_000);
    until("no_contact", 1);
    userAgent(false);
    notice(CreditState.EXHAUSTED, 0);
    until("incapable", 1);
    assertThat(outcome("delivered")).isZero();
  }

  @Test
  void aContactThatIsBusyIsAskedThreeTimes() throws Exception {
    Contact phone = alice(503, "en");
    notice(CreditState.LOW, 4_000_000);
    until("retried", 1);
    rig.clock.advance(Duration.ofSeconds(10));
    until("retried", 2);
    rig.clock.advance(Duration.ofMinutes(1));
    until("given_up", 1);
    assertThat(phone.received).hasSize(3);
  }

  @Test
  void aRefusalIsFinal() throws Exception {
    Contact phone = alice(603, "en");
    notice(CreditState.LOW, 4_000_000);
    until("refused", 1);
    rig.clock.advance(Duration.ofMinutes(5));
    notice(CreditState.SUFFICIENT, 9_000_000);
    notice(CreditState.LOW, 4_000_000);
    until("refused", 2);
    assertThat(phone.received).as("one for each notice").hasSize(2);
  }

  @Test
  void aTopUpEndsTheAttempts() throws Exception {
    Contact phone = alice(503, "en");
    notice(CreditState.LOW, 4_000_000);
    until("retried", 1);
    notice(CreditState.SUFFICIENT, 9_000_000);
    until("superseded", 1);
    rig.clock.advance(Duration.ofSeconds(30));
    notice(CreditState.LOW, 4_000_000, rig.clock.instant().minus(Duration.ofHours(1)));
    until("old", 1);
    assertThat(phone.received).hasSize(1);
  }

  @Test
  void aRestartedBridgeRepeatsNoNotice() throws Exception {
    userAgent(true);
    notice(CreditState.LOW, 4_000_000);
    until("delivered", 1);
    rig.bridge.close();
    rig.start(rig.configuration);
    await().until(() -> rig.bridge.subscribers().isLoaded());
    notice(CreditState.EXHAUSTED, 0);
    until("no_contact", 1); // contacts are in memory only
    for (String outcome : List.of("delivered", "retried", "old", "superseded")) {
      assertThat(outcome(outcome)).as(outcome).isZero();
    }
  }
}
