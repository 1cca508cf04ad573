package io.viaduct.billing.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import io.viaduct.billing.audit.AuditLog;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.provisioning.SubscriberImport.Outcome;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

class SubscriberImportTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final JdbcTemplate jdbc = SharedDatabase.jdbc();
  private final Accounts accounts =
      new Accounts(
          SharedDatabase.client(),
          SharedDatabase.transaction(),
          new Ledger(jdbc),
          new Passwords(2));
  private final CredentialKeys keys = CredentialKeys.load(SharedDatabase.CREDENTIAL_KEY, List.of());
  private final SipCredentials credentials = credentials(keys);
  private final SubscriberImport users =
      new SubscriberImport(
          SharedDatabase.transaction(),
          accounts,
          credentials,
          cards(keys),
          new AuditLog(SharedDatabase.client()),
          clock);
  private String alice;
  private String bob;

  private SipCredentials credentials(CredentialKeys sealing) {
    return new SipCredentials(
        SharedDatabase.client(), SharedDatabase.transaction(), sealing, cards(sealing), "ims.test");
  }

  private Cards cards(CredentialKeys sealing) {
    return new Cards(SharedDatabase.client(), SharedDatabase.transaction(), accounts, sealing);
  }

  @BeforeEach
  void names() throws Exception {
    String run = UUID.randomUUID().toString().substring(0, 8);
    alice = "alice-" + run;
    bob = "bob-" + run;
    TestAuthority.secret(folder.resolve("alice.password"), "alice's password");
  }

  private Path file(String more) throws Exception {
    return Files.writeString(
        folder.resolve("subscribers.yml"),
        """
        subscribers:
          - {user: %s, password-file: %s}
          - {user: %s, ha1: {md5: "%s"}}
        %s
        """
            .formatted(
                alice, folder.resolve("alice.password"), bob, "0123456789abcdef".repeat(2), more));
  }

  @Test
  void usersAreCreatedOnceWithOneSecretOrWithDigestsOnly() throws Exception {
    assertThat(users.importFrom(file(""))).isEqualTo(Map.of(Outcome.CREATED, 2));
    assertThat(users.importFrom(file(""))).isEqualTo(Map.of(Outcome.UNCHANGED, 2));
    assertThat(accounts.authenticate(alice, "alice's password")).isPresent();
    assertThat(accounts.find(alice).orElseThrow().sipSecret()).isEqualTo(SipSecret.SHARED);
    assertThat(credentials.find(alice)).contains(Ha1.of(alice, "ims.test", "alice's password"));
    assertThat(accounts.find(bob).orElseThrow().sipSecret()).isEqualTo(SipSecret.SEPARATE);
    assertThat(accounts.authenticate(bob, "")).isEmpty();
    Ha1 imported = credentials.find(bob).orElseThrow();
    assertThat(imported.sha256()).isNull();
    assertThat(HexFormat.of().formatHex(imported.md5())).isEqualTo("0123456789abcdef".repeat(2));
  }

  // Test set 1 of 3GPP TS 35.208.
  private static final String K = "465b5ce8b199b49faa5f0a2ee238a6bc";
  private static final String OP = "cdc202d5123e20f62b6d676ac72cb318";
  private static final String OPC = "cd63cb71954a9f4e48a5994e37a02baf";

  private Path cardFile(String ofAlice, String ofBob, String more) throws Exception {
    return TestAuthority.secret(
        folder.resolve("cards.yml"),
        """
        subscribers:
          - {user: %s, password-file: %s, card: {%s}}
          - {user: %s, card: {%s}}
        %s
        """
            .formatted(alice, folder.resolve("alice.password"), ofAlice, bob, ofBob, more));
  }

  @Test
  void cardsAreImportedSealedOnceBesideAPasswordOrAlone() throws Exception {
    String withOp = "k: %s, op: %s, amf: \"8000\"".formatted(K, OP);
    String withOpc = "k: %s, opc: %s".formatted(K, OPC);
    assertThat(users.importFrom(cardFile(withOp, withOpc, "")))
        .isEqualTo(Map.of(Outcome.CREATED, 2));
    Card imported = cards(keys).find(alice).orElseThrow();
    assertThat(HexFormat.of().formatHex(imported.k())).isEqualTo(K);
    assertThat(HexFormat.of().formatHex(imported.opc())).isEqualTo(OPC);
    assertThat(HexFormat.of().formatHex(imported.amf())).isEqualTo("8000");
    assertThat(credentials.find(alice)).isPresent();
    assertThat(HexFormat.of().formatHex(cards(keys).find(bob).orElseThrow().opc())).isEqualTo(OPC);
    assertThat(credentials.find(bob)).isEmpty();
    assertThat(
            HexFormat.of()
                .formatHex(
                    jdbc.queryForObject(
                        "select k_secret || opc_secret from sip_card where account = ?",
                        byte[].class,
                        alice)))
        .doesNotContain(K, OPC);
    String other = withOpc.replace("cd63", "cd64");
    assertThat(users.importFrom(cardFile(withOp, other, "")))
        .isEqualTo(Map.of(Outcome.UNCHANGED, 2));
    assertThat(users.importFrom(cardFile(withOp, other, "overwrite: true")))
        .isEqualTo(Map.of(Outcome.UNCHANGED, 1, Outcome.CHANGED, 1));
    assertThat(HexFormat.of().formatHex(cards(keys).find(bob).orElseThrow().opc()))
        .isEqualTo(other.substring(other.length() - 32));
  }

  @Test
  void anAccountThatIsThereGetsACardAndKeepsItsSecrets() throws Exception {
    users.importFrom(file(""));
    Ha1 before = credentials.find(bob).orElseThrow();
    String card = "k: %s, opc: %s".formatted(K, OPC);
    assertThat(users.importFrom(cardFile(card, card, ""))).isEqualTo(Map.of(Outcome.CHANGED, 2));
    assertThat(credentials.find(bob)).contains(before);
    assertThat(cards(keys).find(bob)).isPresent();
  }

  @Test
  void aCardThatBreaksARuleIsRefusedWithoutItsValuesAndSoIsAFileThatOthersRead() throws Exception {
    String right = "k: %s, opc: %s".formatted(K, OPC);
    for (String wrong :
        new String[] {
          "k: 465b, opc: " + OPC,
          "k: " + K,
          "k: %s, opc: %s, op: %s".formatted(K, OPC, OP),
          "opc: " + OPC,
          right + ", sqn: 1",
          right + ", amf: 12345"
        }) {
      assertThatThrownBy(() -> users.importFrom(cardFile(wrong, right, "")))
          .hasMessageContaining("card of user '" + alice + "'")
          .hasMessageNotContainingAny(K, OPC, OP, "465b", "12345");
    }
    Path open = cardFile(right, right, "");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> users.importFrom(open)).hasMessageContaining("has keys of cards");
    assertThat(accounts.find(alice)).isEmpty();
  }

  @Test
  void nameAndRoleAreThoseOfTheFileForNewAccountsOnly() throws Exception {
    String list =
        """
        subscribers:
          - {user: %s, name: Alice A., role: auditor, password-file: %s}
          - {user: %s, role: snapt-owner, ha1: {md5: "%s"}}
        """
            .formatted(alice, folder.resolve("alice.password"), bob, "0123456789abcdef".repeat(2));
    Path file = Files.writeString(folder.resolve("roles.yml"), list);
    assertThat(users.importFrom(file)).isEqualTo(Map.of(Outcome.CREATED, 2));
    assertThat(accounts.find(alice).orElseThrow().role()).isEqualTo(Role.AUDITOR);
    assertThat(accounts.find(alice).orElseThrow().displayName()).isEqualTo("Alice A.");
    assertThat(accounts.find(bob).orElseThrow().role()).isEqualTo(Role.SNAPT_OWNER);
    assertThat(accounts.find(bob).orElseThrow().displayName()).isEqualTo(bob);
    Files.writeString(file, list.replace("auditor", "operator"));
    assertThat(users.importFrom(file)).isEqualTo(Map.of(Outcome.UNCHANGED, 2));
    assertThat(accounts.find(alice).orElseThrow().role()).isEqualTo(Role.AUDITOR);
  }

  @Test
  void anAccountWithoutSipCredentialsGetsThemAndKeepsItsPassword() throws Exception {
    accounts.open(alice, "page password", Role.USER, "Alice", clock.instant());
    assertThat(users.importFrom(file("")))
        .isEqualTo(Map.of(Outcome.CHANGED, 1, Outcome.CREATED, 1));
    assertThat(accounts.authenticate(alice, "page password")).isPresent();
    assertThat(credentials.find(alice)).contains(Ha1.of(alice, "ims.test", "alice's password"));
    assertThat(accounts.find(alice).orElseThrow().sipSecret()).isEqualTo(SipSecret.SEPARATE);
  }

  @Test
  void secretsAreReplacedOnlyIfTheFileSaysSo() throws Exception {
    users.importFrom(file(""));
    Files.writeString(folder.resolve("alice.password"), "her next password");
    assertThat(users.importFrom(file(""))).isEqualTo(Map.of(Outcome.UNCHANGED, 2));
    assertThat(users.importFrom(file("overwrite: true")))
        .isEqualTo(Map.of(Outcome.CHANGED, 1, Outcome.UNCHANGED, 1));
    assertThat(accounts.authenticate(alice, "her next password")).isPresent();
    assertThat(credentials.find(alice)).contains(Ha1.of(alice, "ims.test", "her next password"));
  }

  @Test
  void eachUserThatAnImportChangesHasAnEntryOfTheAuditLog() throws Exception {
    users.importFrom(file(""));
    users.importFrom(file("")); // changes nothing
    Files.writeString(folder.resolve("alice.password"), "her next password");
    users.importFrom(file("overwrite: true"));
    accounts.setDisplayName(alice, "by nobody");
    List<AuditLog.Entry> entries =
        new AuditLog(SharedDatabase.client())
            .page(new AuditLog.Filter("configuration", "", alice, null, null), Long.MAX_VALUE, 10);
    assertThat(entries)
        .hasSize(2)
        .allMatch(entry -> entry.request().path().equals("imports.subscribers/" + alice))
        .allMatch(entry -> entry.request().account().equals("configuration"));
    assertThat(entries.getLast().changes())
        .extracting(AuditLog.Change::table, AuditLog.Change::action)
        .contains(tuple("account", "INSERT"), tuple("sip_credential", "INSERT"));
    assertThat(entries.getFirst().changes())
        .extracting(AuditLog.Change::table, AuditLog.Change::action)
        .containsOnly(tuple("account", "UPDATE"), tuple("sip_credential", "UPDATE"));
    assertThat(entries.toString()).doesNotContain("by nobody").doesNotContain("$argon2");
  }

  @Test
  void aClosedAccountStaysClosed() throws Exception {
    users.importFrom(file(""));
    credentials.remove(alice);
    accounts.close(alice, Instant.EPOCH);
    assertThat(users.importFrom(file("overwrite: true")))
        .isEqualTo(Map.of(Outcome.CLOSED, 1, Outcome.UNCHANGED, 1));
    assertThat(credentials.find(alice)).isEmpty();
  }

  @Test
  void aBadLineIsRefusedWithUserAndRuleAndNothingIsImported() throws Exception {
    Map<String, String> cases =
        Map.of(
            "  - {user: 'e ve', ha1: {md5: 0123456789abcdef0123456789abcdef}}", "got 'e ve'",
            "  - {user: eve, pasword-file: x}", "unknown key 'pasword-file'",
            "  - {user: eve}", "either password-file or ha1 for user 'eve'",
            "  - {user: eve, ha1: {md5: abc}}",
                "ha1 md5 of user 'eve' must be 32 hexadecimal digits",
            "  - {user: eve, ha1: {sha1: abc}}", "ha1 of user 'eve' must be",
            "  - {user: eve, password-file: /no/such}", "/no/such");
    for (Map.Entry<String, String> each : cases.entrySet()) {
      Path bad = file("");
      Files.writeString(bad, Files.readString(bad).stripTrailing() + "\n" + each.getKey() + "\n");
      assertThatThrownBy(() -> users.importFrom(bad))
          .as(each.getKey())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("subscribers.yml")
          .hasMessageContaining(each.getValue());
      assertThat(accounts.find(alice)).isEmpty();
    }
    Path twice = file("  - {user: " + alice + ", ha1: {md5: '" + "0".repeat(32) + "'}}");
    assertThatThrownBy(() -> users.importFrom(twice)).hasMessageContaining("must be given once");
  }

  @Test
  void aChangedKeyRenewsEverySealAndAMissingKeyStopsTheStart() throws Exception {
    // The other tests use the same database, so the credentials are sealed with the former key
    // again.
    users.importFrom(file(""));
    Card card = new Card(new byte[16], new byte[16], new byte[2]);
    cards(keys).set(bob, card, clock.instant());
    CredentialKeys next =
        CredentialKeys.load(folder.resolve("next.key"), List.of(SharedDatabase.CREDENTIAL_KEY));
    SipCredentials later = credentials(next);
    assertThat(later.renewSeals(clock.instant())).isGreaterThanOrEqualTo(3);
    assertThat(cards(keys).keyIds()).containsExactly(next.currentId());
    assertThat(later.find(alice)).contains(Ha1.of(alice, "ims.test", "alice's password"));
    assertThatThrownBy(() -> credentials.renewSeals(clock.instant()))
        .hasMessageContaining(next.currentId())
        .hasMessageContaining("former-key-files");
    CredentialKeys back =
        CredentialKeys.load(SharedDatabase.CREDENTIAL_KEY, List.of(folder.resolve("next.key")));
    credentials(back).renewSeals(clock.instant());
    assertThat(credentials.find(alice)).contains(Ha1.of(alice, "ims.test", "alice's password"));
  }
}
