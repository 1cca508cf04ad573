package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ProvisioningStub;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.DescribedReport;
import io.viaduct.usage.v1.TariffInForce;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Questions of users at `balance@ims.test`, through a real bridge; billing is another real peer.
@Timeout(120)
class ServiceDeskTest {
  private static final String DESK = "sip:balance@ims.test";
  private static final String BALANCE =
      "Your balance is 12.50 den; 11.20 den are available. Spent today (UTC): 0.31 den.";

  @TempDir Path directory;
  private BridgeRig rig;
  private final List<Contact> contacts = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
    rig.users.descriptions.put(
        "alice",
        AccountDescription.newBuilder()
            .setKnown(true)
            .setBalanceMicrodenarii(12_500_000)
            .setAvailableMicrodenarii(11_200_000)
            .setSpentTodayMicrodenarii(310_000)
            .setTariff(TariffInForce.newBuilder().setVersion(3))
            .addReports(reported("2026-11-27T10:01:00Z", 3_980_000, 34_000))
            .addReports(reported("2026-11-27T10:00:00Z", 12_000, 0))
            .build());
  }

  @AfterEach
  void stop() throws Exception {
    contacts.forEach(Contact::close);
    rig.close();
  }

  private static DescribedReport reported(String start, long bytes, long net) {
    long startMs = Instant.parse(start).toEpochMilli();
    return DescribedReport.newBuilder()
        .setStartMs(startMs)
        .setEndMs(startMs + 60_000)
        .setBytes(bytes)
        .setNetMicrodenarii(net)
        .build();
  }

  private Contact registered(String user, String languages) throws Exception {
    Contact contact = new Contact(200);
    contacts.add(contact);
    contact.register(user, rig.bridge.sipPort(), "", languages);
    return contact;
  }

  private SipResponse asked(Contact by, String user, String words) throws Exception {
    return by.ask(user, rig.bridge.sipPort(), "MESSAGE", DESK, SipHeaders.NONE, words);
  }

  private static SipRequest answer(Contact contact) {
    await().until(() -> !contact.received.isEmpty());
    return contact.received.getLast();
  }

  @ParameterizedTest
  @ValueSource(strings = {"balance?", " Balance ", "saldo?", "残高？"})
  void aUserIsToldBalanceAndTodaysSpend(String words) throws Exception {
    Contact alice = registered("alice", "en");
    assertThat(asked(alice, "alice", words).status()).isEqualTo(200);
    SipRequest answer = answer(alice);
    assertThat(answer.method()).isEqualTo("MESSAGE");
    assertThat(answer.body().text()).isEqualTo(BALANCE);
    assertThat(answer.headers().require("From")).startsWith("<sip:balance@ims.test>;tag=");
    assertThat(answer.headers().require("Content-Type")).isEqualTo("text/plain;charset=UTF-8");
    await()
        .until(() -> rig.counter("viaduct_bridge_sip_events", "event", "question_answered") == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "Raporty?", "レポート"})
  void aUserIsToldTheLatestReports(String words) throws Exception {
    Contact alice = registered("alice", "en");
    assertThat(
            alice
                .ask(
                    "alice",
                    rig.bridge.sipPort(),
                    "MESSAGE",
                    "sip:report@ims.test",
                    SipHeaders.NONE,
                    words)
                .status())
        .isEqualTo(200);
    SipRequest answer = answer(alice);
    assertThat(answer.headers().require("From")).startsWith("<sip:report@ims.test>;tag=");
    assertThat(answer.body().text())
        .isEqualTo(
            """
            Your latest reports (UTC):
            2026-11-27 10:01:00 to 10:02:00: 3.98 MB, 0.03 den
            2026-11-27 10:00:00 to 10:01:00: 0.01 MB, 0.00 den\
            """);
  }

  @Test
  void theAnswerGoesToTheContactThatAskedInItsLanguage() throws Exception {
    Contact asking = registered("alice", "it");
    Contact other = registered("alice", "en");
    asked(asking, "alice", "saldo");
    assertThat(answer(asking).body().text()).startsWith("Il tuo saldo è di 12.50 den");
    assertThat(other.received).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"help", "what is my shoe size?", ""})
  void helpAndUnknownWordsAreAnsweredWithWhatCanBeAsked(String words) throws Exception {
    Contact alice = registered("alice", "pl");
    assertThat(asked(alice, "alice", words).status()).isEqualTo(200);
    assertThat(answer(alice).body().text()).startsWith("Można tu zapytać: \"saldo\"");
  }

  @Test
  void whileBillingIsAwayTheAnswerSaysSo() throws Exception {
    Contact alice = registered("alice", "en");
    rig.users.isSilent = true;
    assertThat(asked(alice, "alice", "balance").status()).isEqualTo(200);
    assertThat(answer(alice).body().text()).startsWith("Billing does not answer at the moment.");
  }

  @Test
  void aSenderWithoutAContactOrWithoutCredentialsIsRefused() throws Exception {
    Contact stranger = new Contact(200);
    contacts.add(stranger);
    SipResponse refused = asked(stranger, "bob", "balance");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.headers().require("Warning")).contains("register a contact");
    assertThat(asked(stranger, "nobody", "balance").status()).isEqualTo(401);
  }

  @Test
  void aUserOfThatNameHasTheAddress() throws Exception {
    rig.users.put(ProvisioningStub.user("balance", "balance-secret"));
    await().until(() -> rig.bridge.subscribers().isActive("balance"));
    Contact owner = registered("balance", "en");
    Contact alice = registered("alice", "en");
    assertThat(asked(alice, "alice", "hello").status()).isEqualTo(200);
    assertThat(answer(owner).body().text()).isEqualTo("hello");
  }
}
