package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A user has several devices: real endpoints, registered with a real bridge.
@Timeout(120)
class ForkTest {
  @TempDir Path directory;
  private BridgeRig rig;
  private UserAgent bob;
  private final List<Contact> contacts = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, text -> text.replace("contacts: 2", "contacts: 4"));
    bob = rig.userAgent("bob", Transport.UDP, new UserAgentListener() {});
  }

  @AfterEach
  void stop() throws Exception {
    contacts.forEach(Contact::close);
    rig.close();
  }

  private Contact alice(int status, String parameters) throws Exception {
    Contact contact = new Contact(status);
    contacts.add(contact);
    contact.register("alice", rig.bridge.sipPort(), parameters);
    return contact;
  }

  private int send() throws Exception {
    return bob.sendMessage("alice", "text/plain", "hello").get(60, TimeUnit.SECONDS).status();
  }

  private double branches(String outcome) {
    return rig.counter("viaduct_bridge_message_branches", "outcome", outcome);
  }

  @Test
  void everyDeviceOfTheRecipientGetsTheMessageAndTheSenderOneAnswer() throws Exception {
    Contact first = alice(200, "");
    Contact second = alice(202, "");

    assertThat(send()).isIn(200, 202);

    await().until(() -> first.received.size() == 1 && second.received.size() == 1);
    assertThat(first.received.getFirst().body().text()).isEqualTo("hello");
    assertThat(first.received.getFirst().uri()).isNotEqualTo(second.received.getFirst().uri());
    await().until(() -> branches("accepted") == 2);
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "message_relayed")).isEqualTo(1);
  }

  @Test
  void aDeviceThatTakesNoMessagesDoesNoHarmWhicheverRegisteredLast() throws Exception {
    alice(405, "");
    Contact reads = alice(200, "");
    alice(405, "");

    assertThat(send()).isEqualTo(200);

    assertThat(reads.received).hasSize(1);
    await().until(() -> branches("method_not_allowed") == 2);
  }

  @Test
  void aDeadDeviceDelaysNobody() throws Exception {
    alice(200, "");
    alice(200, "").close();

    long before = System.nanoTime();
    assertThat(send()).isEqualTo(200);

    assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - before)).isLessThan(10);
    assertThat(branches("no_answer")).isZero();
  }

  @Test
  void silenceEndsBeforeTheSenderGivesUpAndSaysMoreThanADeviceThatTakesNoMessages()
      throws Exception {
    alice(405, "");
    alice(0, "");

    assertThat(send()).isEqualTo(408);

    assertThat(branches("no_answer")).isEqualTo(1);
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "no_answer")).isEqualTo(1);
  }

  @Test
  void aDeviceThatSaidThatItTakesNoMessagesIsNotAsked() throws Exception {
    Contact silent = alice(200, ";methods=\"NOTIFY, OPTIONS\"");
    assertThat(send()).isEqualTo(480);
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "no_capable_contact"))
        .isEqualTo(1);

    Contact reads = alice(200, ";methods=\"OPTIONS,MESSAGE\"");
    Contact says = alice(200, ";methods=\"!INVITE\"");
    assertThat(send()).isEqualTo(200);

    await().until(() -> reads.received.size() == 1 && says.received.size() == 1);
    assertThat(silent.received).isEmpty();
    assertThat(branches("incapable")).isEqualTo(2);
  }

  @Test
  void aDeviceOfLowerPreferenceIsAskedOnlyWhenNoneOfTheHighestAccepts() throws Exception {
    Contact low = alice(200, ";q=0.2");
    Contact high = alice(200, ";q=0.7");
    assertThat(send()).isEqualTo(200);
    assertThat(high.received).hasSize(1);
    assertThat(low.received).isEmpty();

    Contact highest = alice(480, ";q=0.701");
    assertThat(send()).isEqualTo(200);
    assertThat(highest.received).hasSize(1);
    await().until(() -> low.received.size() == 1 && high.received.size() == 2);
  }

  /// Tests RFC 3261 section 16.7 step 6.
  @ParameterizedTest
  @CsvSource({
    "486, 603, 603",
    "503, 480, 480",
    "500, 405, 405",
    "480, 415, 415",
    "405, 486, 486",
    "503, 503, 500",
    "405, 405, 405"
  })
  void ofSeveralRefusalsTheSenderGetsTheBest(int one, int other, int best) throws Exception {
    alice(one, "");
    alice(other, "");
    assertThat(send()).isEqualTo(best);
  }

  @Test
  void afterAGlobalRefusalNoOtherDeviceIsAsked() throws Exception {
    Contact low = alice(200, ";q=0.1");
    alice(603, "");
    assertThat(send()).isEqualTo(603);
    assertThat(low.received).isEmpty();
  }

  @Test
  void aUserAgentThatReadsNothingLeavesTheMessageToTheOneThatDoes() throws Exception {
    List<InstantMessage> read = new CopyOnWriteArrayList<>();
    UserAgent phone =
        rig.userAgent(
            "alice",
            Transport.UDP,
            new UserAgentListener() {
              @Override
              public void onMessage(InstantMessage message) {
                read.add(message);
              }
            });
    UserAgent agent =
        rig.userAgent(
            "alice",
            Transport.UDP,
            new UserAgentListener() {
              @Override
              public boolean takesMessages() {
                return false;
              }
            });
    phone.register();
    await().until(() -> phone.state().isRegistered());
    agent.register();
    await().until(() -> agent.state().isRegistered());

    assertThat(send()).isEqualTo(200);

    assertThat(read).hasSize(1);
    assertThat(branches("incapable")).isEqualTo(1);
  }
}
