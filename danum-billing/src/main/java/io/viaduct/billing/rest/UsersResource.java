package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.LoginThrottle.Attempt;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import io.viaduct.billing.provisioning.Devices;
import io.viaduct.billing.provisioning.UserChange;
import io.viaduct.billing.provisioning.UserRefusedException;
import io.viaduct.billing.provisioning.Users;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Opens, changes, suspends and closes accounts, and manages their passwords and devices.
@RestController
@RequestMapping("/api/v1/accounts")
@Tag(name = "accounts")
class UsersResource {
  private static final int DISPLAY_NAME_MAX = 128;
  private static final int DEVICE_NAME_MAX = 64;

  private final Users users;
  private final Devices devices;
  private final LoginGate gate;
  private final InstantSource clock;

  UsersResource(Users users, Devices devices, LoginGate gate, InstantSource clock) {
    this.users = users;
    this.devices = devices;
    this.gate = gate;
    this.clock = clock;
  }

  record NewAccount(
      String id,
      String password,
      String role,
      @Nullable String displayName,
      @Nullable String sipPassword,
      @Nullable String sipSecret) {
    NewAccount {
      JsonBody.require("id", id);
      JsonBody.require("password", password);
      JsonBody.require("role", role);
    }

    @Override
    public String toString() {
      return "NewAccount[id=" + id + "]";
    }
  }

  record AccountChange(
      @Nullable String displayName,
      @Nullable String role,
      @Nullable String state,
      @Nullable String password,
      @Nullable String sipPassword,
      @Nullable String sipSecret) {
    @Override
    public String toString() {
      return "AccountChange[displayName=%s, role=%s, state=%s]".formatted(displayName, role, state);
    }
  }

  record NewPassword(String oldPassword, String newPassword) {
    NewPassword {
      JsonBody.require("oldPassword", oldPassword);
      JsonBody.require("newPassword", newPassword);
    }

    @Override
    public String toString() {
      return "NewPassword[]";
    }
  }

  record DeviceView(String id, String name, Instant addedAt, @Nullable Instant lastSeenAt) {}

  record DeviceChange(String name) {
    DeviceChange {
      JsonBody.require("name", name);
    }
  }

  record DeviceList(List<DeviceView> devices, int devicesMax) {}

  @Refuses({ProblemType.ACCOUNT_EXISTS, ProblemType.TOO_MANY_LOG_INS})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Open an account, as an operator",
      description =
          "The password is for the pages, and for the devices too (SIP) unless sipPassword is given"
              + " or sipSecret is none. An operator's account gets no SIP credentials by itself."
              + " The bridge lets the user register within a second.",
      operationId = "openAccount")
  AccountView open(@AuthenticationPrincipal Caller caller, @RequestBody NewAccount wanted) {
    Account.flaw(wanted.id())
        .ifPresent(flaw -> {
          throw ProblemException.invalid("id " + flaw);
        });
    if (role(wanted.role()) != Role.USER) {
      CallerAccess.requireLogIn(caller, "make an account with the role " + wanted.role());
    }
    String name = wanted.displayName() == null ? wanted.id() : displayName(wanted.displayName());
    Users.NewUser user =
        new Users.NewUser(
            wanted.id(),
            name,
            role(wanted.role()),
            wanted.password(),
            wanted.sipPassword(),
            wanted.sipSecret() == null ? null : sipSecret(wanted.sipSecret()));
    return translateRefusal(() -> users.create(user, clock.instant()))
        .map(AccountView::of)
        .orElseThrow(() ->
            new ProblemException(
                ProblemType.ACCOUNT_EXISTS,
                "account '" + wanted.id() + "' exists, or existed and is closed"));
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.ACCOUNT_CLOSED,
    ProblemType.CONFIGURED_OPERATOR,
    ProblemType.VERSION_REQUIRED,
    ProblemType.CHANGED_MEANWHILE
  })
  @Tagged
  @PatchMapping("/{id}")
  @Operation(
      summary = "Change an account, as an operator: omitted keys stay unchanged",
      description =
          "state is active or suspended; a suspended account can log in and look at its bill, but"
              + " not register, and its sessions end. A new password ends the log-ins of the"
              + " account. sipSecret shared takes the password that is given with it. If-Match must"
              + " have the ETag of the account; it changes only if nobody has changed it since.",
      operationId = "changeAccount")
  ResponseEntity<AccountView> change(
      @AuthenticationPrincipal Caller caller,
      Authentication login,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody AccountChange wanted) {
    UserChange change =
        new UserChange(
            wanted.displayName() == null ? null : displayName(wanted.displayName()),
            wanted.role() == null ? null : role(wanted.role()),
            wanted.state() == null ? null : state(wanted.state()),
            wanted.password(),
            wanted.sipPassword(),
            wanted.sipSecret() == null ? null : sipSecret(wanted.sipSecret()));
    if (caller.account().equals(id) && (change.state() != null || change.role() != null)) {
      throw ownAccount();
    }
    if (change.role() != null || change.password() != null) {
      CallerAccess.requireLogIn(caller, "set a role or a password");
    }
    long known = EntityTag.required(version);
    return AccountView.tagged(
        translateRefusal(
            () -> users.change(id, change, known, keptToken(caller, id, login), clock.instant())));
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.CONFIGURED_OPERATOR,
    ProblemType.ACCOUNT_CLOSED,
    ProblemType.VERSION_REQUIRED,
    ProblemType.CHANGED_MEANWHILE
  })
  @Tagged
  @DeleteMapping("/{id}")
  @Operation(
      summary = "Close an account for ever, as an operator",
      description =
          "It cannot log in, register or get tokens any more. Password, SIP credentials, devices and"
              + " display name are deleted; its id, charges and postings stay. If-Match must have"
              + " the ETag of the account.",
      operationId = "closeAccount")
  ResponseEntity<AccountView> close(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version) {
    if (caller.account().equals(id)) {
      throw ownAccount();
    }
    long known = EntityTag.required(version);
    return AccountView.tagged(translateRefusal(() -> users.close(id, known, clock.instant())));
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.WRONG_OLD_PASSWORD,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.TOO_MANY_LOG_INS,
    ProblemType.CONFIGURED_OPERATOR,
    ProblemType.ACCOUNT_CLOSED
  })
  @PutMapping("/{id}/password")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Change one's own password",
      description =
          "Other log-ins of the account end. While sipSecret is shared, the devices register with"
              + " the new password from now on.",
      operationId = "changePassword")
  void changePassword(
      @AuthenticationPrincipal Caller caller,
      Authentication login,
      HttpServletRequest request,
      @PathVariable String id,
      @RequestBody NewPassword wanted) {
    if (!caller.account().equals(id)) {
      throw caller.canSee(id)
          ? ProblemException.invalid(
              "an operator sets the password of others by PATCH /api/v1/accounts/{id}")
          : ProblemException.notFound();
    }
    Instant now = clock.instant();
    Attempt attempt = gate.attempt(id, null, request);
    Optional<Duration> retryAfter = gate.admit(attempt);
    if (retryAfter.isPresent()) {
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many wrong passwords: wait " + (retryAfter.get().toSeconds() + 1) + " s",
          retryAfter.get());
    }
    try {
      var unused =
          users.changePassword(
              id, wanted.oldPassword(), wanted.newPassword(), CallerAccess.token(login), now);
      gate.passwordWasRight(attempt);
    } catch (UserRefusedException e) {
      throw problem(e);
    }
  }

  @Refuses(ProblemType.NOT_FOUND)
  @Tagged
  @GetMapping("/{id}/devices")
  @Operation(
      summary = "Devices of an account",
      description =
          "The ETag changes when a device is added, named or removed, not when one is seen.",
      operationId = "listDevices")
  ResponseEntity<DeviceList> devices(
      @AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.requireOwn(caller, id);
    List<Devices.Device> known = devices.list(id);
    return ResponseEntity.ok()
        .eTag(EntityTag.of(Devices.version(known)))
        .body(
            new DeviceList(
                known.stream()
                    .map(d -> new DeviceView(d.id(), d.name(), d.addedAt(), d.lastSeenAt()))
                    .toList(),
                devices.max()));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PatchMapping("/{id}/devices/{device}")
  @Operation(
      summary = "Name a device",
      description =
          "If-Match must have the ETag of the list of devices; the answer has the next one.",
      operationId = "nameDevice",
      responses = @ApiResponse(responseCode = "204", description = "Named"))
  ResponseEntity<Void> nameDevice(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String device,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody DeviceChange wanted) {
    CallerAccess.requireOwn(caller, id);
    String name = PlainText.require("name", wanted.name(), DEVICE_NAME_MAX);
    requireDone(devices.name(id, device, EntityTag.required(version), name));
    return ResponseEntity.noContent().eTag(EntityTag.of(Devices.version(devices.list(id)))).build();
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @DeleteMapping("/{id}/devices/{device}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Remove a device: its session ends and its place becomes free",
      description =
          "The device may register again while it knows the SIP password: change the password too"
              + " if the device is lost. If-Match must have the ETag of the list of devices.",
      operationId = "removeDevice")
  void removeDevice(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String device,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version) {
    CallerAccess.requireOwn(caller, id);
    requireDone(devices.remove(id, device, EntityTag.required(version)));
  }

  private static void requireDone(Devices.Outcome outcome) {
    switch (outcome) {
      case DONE -> {}
      case UNKNOWN -> throw ProblemException.notFound();
      case CHANGED ->
          throw new ProblemException(
              ProblemType.CHANGED_MEANWHILE,
              "a device was added, named or removed since: read the list again");
    }
  }

  /// Returns the token of the log-in that survives a change of the operator's own password; empty
  /// for other accounts.
  private static String keptToken(Caller caller, String id, Authentication login) {
    return caller.account().equals(id) ? CallerAccess.token(login) : "";
  }

  private static String displayName(String name) {
    return PlainText.require("displayName", name, DISPLAY_NAME_MAX);
  }

  private static Role role(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "user" -> Role.USER;
      case "operator" -> Role.OPERATOR;
      case "auditor" -> Role.AUDITOR;
      case "snapt-owner" -> Role.SNAPT_OWNER;
      default ->
          throw ProblemException.invalid("role must be user, operator, auditor or snapt-owner");
    };
  }

  private static AccountState state(String word) {
    return switch (word) {
      case "active" -> AccountState.ACTIVE;
      case "suspended" -> AccountState.SUSPENDED;
      case "closed" ->
          throw ProblemException.invalid(
              "state must be active or suspended; DELETE closes an account, for ever");
      default -> throw ProblemException.invalid("state must be active or suspended");
    };
  }

  private static SipSecret sipSecret(String word) {
    return switch (word) {
      case "none" -> SipSecret.NONE;
      case "shared" -> SipSecret.SHARED;
      case "separate" -> SipSecret.SEPARATE;
      default -> throw ProblemException.invalid("sipSecret must be none, shared or separate");
    };
  }

  private static ProblemException ownAccount() {
    return ProblemException.invalid(
        "an operator cannot change role or state of the own account: ask another operator");
  }

  private static <T> T translateRefusal(java.util.function.Supplier<T> action) {
    try {
      return action.get();
    } catch (UserRefusedException e) {
      throw problem(e);
    }
  }

  static ProblemException problem(UserRefusedException e) {
    String why = String.valueOf(e.getMessage());
    return switch (e.reason()) {
      case UNKNOWN -> ProblemException.notFound();
      case CLOSED -> new ProblemException(ProblemType.ACCOUNT_CLOSED, why);
      case CONFIGURED_OPERATOR -> new ProblemException(ProblemType.CONFIGURED_OPERATOR, why);
      case WRONG_OLD_PASSWORD -> new ProblemException(ProblemType.WRONG_OLD_PASSWORD, why);
      case CHANGED -> new ProblemException(ProblemType.CHANGED_MEANWHILE, why);
      case INVALID -> ProblemException.invalid(why);
    };
  }
}
