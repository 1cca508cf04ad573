package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.provisioning.Users;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// Makes many accounts, as another system exports them. An account that is there already stays as
/// it is, so that a request may be repeated.
@RestController
@Tag(name = "accounts")
class AccountImportsResource {
  static final int ACCOUNTS_MAX = 100;
  private static final int DISPLAY_NAME_MAX = 128;

  private final Accounts accounts;
  private final Users users;
  private final TransactionTemplate transaction;
  private final InstantSource clock;

  AccountImportsResource(
      Accounts accounts, Users users, TransactionTemplate transaction, InstantSource clock) {
    this.accounts = accounts;
    this.users = users;
    this.transaction = transaction;
    this.clock = clock;
  }

  record ImportedLine(
      int line, String id, @Nullable String displayName, String role, @Nullable String password) {
    ImportedLine {
      JsonBody.require("id", id);
      JsonBody.require("role", role);
    }

    @Override
    public String toString() {
      return "ImportedLine[" + line + "]";
    }
  }

  record AccountImport(List<ImportedLine> accounts, boolean check) {
    AccountImport {
      JsonBody.require("accounts", accounts);
    }
  }

  record ImportOutcome(int line, String id, String outcome) {}

  record ImportOutcomes(List<ImportOutcome> accounts) {}

  @Refuses(ProblemType.TOO_MANY_LOG_INS)
  @PostMapping("/api/v1/accounts/imports")
  @Operation(
      summary = "Make up to 100 accounts, as an operator",
      description =
          "All are checked first and made together; a refusal names the line. An account"
              + " that exists stays as it is. An account without a password cannot log in to the"
              + " pages until it has got one by a link, and has no SIP credentials.",
      operationId = "importAccounts")
  ImportOutcomes add(@AuthenticationPrincipal Caller caller, @RequestBody AccountImport wanted) {
    if (wanted.accounts().isEmpty() || wanted.accounts().size() > ACCOUNTS_MAX) {
      throw ProblemException.invalid(
          "accounts must have 1 to %d entries, got %d"
              .formatted(ACCOUNTS_MAX, wanted.accounts().size()));
    }
    wanted.accounts().forEach(AccountImportsResource::require);
    if (!wanted.accounts().stream().allMatch(line -> Role.of(line.role()) == Role.USER)) {
      CallerAccess.requireLogIn(caller, "make accounts with another role than user");
    }
    Instant now = clock.instant();
    return new ImportOutcomes(
        Objects.requireNonNull(
            transaction.execute(_ ->
                wanted.accounts().stream()
                    .map(line -> outcome(line, wanted.check(), now))
                    .toList())));
  }

  private ImportOutcome outcome(ImportedLine line, boolean check, Instant now) {
    boolean exists = accounts.find(line.id()).isPresent();
    boolean made = !exists && (check || make(line, now));
    return new ImportOutcome(line.line(), line.id(), made ? "created" : "unchanged");
  }

  private boolean make(ImportedLine line, Instant now) {
    String name = line.displayName() == null ? line.id() : line.displayName();
    Role role = Role.of(line.role());
    Optional<Account> made =
        line.password() == null
            ? accounts.openWithoutPassword(line.id(), name, role, now)
            : users.create(
                new Users.NewUser(line.id(), name, role, line.password(), null, null), now);
    return made.isPresent();
  }

  private static void require(ImportedLine line) {
    String where = "line %d: ".formatted(line.line());
    Account.flaw(line.id())
        .ifPresent(flaw -> {
          throw ProblemException.invalid(where + "id " + flaw);
        });
    if (line.displayName() != null) {
      var unused = PlainText.require(where + "displayName", line.displayName(), DISPLAY_NAME_MAX);
    }
    if (!List.of("user", "operator", "auditor", "snapt-owner").contains(line.role())) {
      throw ProblemException.invalid(
          where + "role must be user, operator, auditor or snapt-owner, got '" + line.role() + "'");
    }
    if (line.password() != null && !Passwords.isAcceptable(line.password())) {
      throw ProblemException.invalid(where + "password " + Passwords.RULE);
    }
  }
}
