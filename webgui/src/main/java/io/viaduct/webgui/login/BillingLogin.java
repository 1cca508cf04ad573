package io.viaduct.webgui.login;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.OpenedSession;
import io.viaduct.webgui.peer.CodeRequiredException;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;

/// Asks billing whether user and password are right. No password is kept or checked here; each
/// outcome is counted in `viaduct_webgui_logins_total`.
public final class BillingLogin implements AuthenticationProvider {
  private static final int NAME_LENGTH_MAX = 128;
  private static final int PASSWORD_LENGTH_MAX = 256;

  /// The outcome of a log-in, and the label of its counter.
  public enum Outcome {
    ACCEPTED,
    /// Wrong user or password, or longer than either may be.
    REFUSED,
    /// Billing wants this visitor to wait.
    THROTTLED,
    /// Billing did not answer.
    AWAY,
    /// The password was right, and a code is needed.
    CODE_REQUIRED,
    /// The provider did not identify the visitor, or billing did not accept its token.
    PROVIDER,
    /// The provider has identified the visitor, and no account is linked.
    UNLINKED
  }

  /// The password was right, and a code is needed.
  static final class CodeNeeded extends AuthenticationException {
    private static final long serialVersionUID = 1L;

    private final String challenge;

    CodeNeeded(String challenge) {
      super("a code is needed");
      this.challenge = challenge;
    }

    String challenge() {
      return challenge;
    }
  }

  private final Billing billing;
  private final MeterRegistry meters;

  public BillingLogin(Billing billing, MeterRegistry meters) {
    this.billing = billing;
    this.meters = meters;
    for (Outcome outcome : Outcome.values()) {
      counter(outcome); // shown as 0 from the start
    }
  }

  @Override
  public Authentication authenticate(Authentication attempt) {
    String user = attempt.getName().strip();
    String password = String.valueOf(attempt.getCredentials());
    if (user.isEmpty()
        || password.isEmpty()
        || user.length() > NAME_LENGTH_MAX
        || password.length() > PASSWORD_LENGTH_MAX) {
      throw counted(Outcome.REFUSED, new BadCredentialsException("no such user and password"));
    }
    try {
      Browser browser =
          attempt.getDetails() instanceof Browser known ? known : new Browser("127.0.0.1", "");
      OpenedSession session =
          billing.openSession(user, password, browser.address(), browser.mark());
      count(Outcome.ACCEPTED);
      return authenticated(session, browser);
    } catch (CodeRequiredException e) {
      throw counted(Outcome.CODE_REQUIRED, new CodeNeeded(e.challenge()));
    } catch (SessionEndedException e) {
      throw counted(Outcome.REFUSED, new BadCredentialsException("no such user and password"));
    } catch (PeerRefusedException e) {
      throw e.status() == 429
          ? counted(Outcome.THROTTLED, new LockedException("too many attempts"))
          : counted(Outcome.REFUSED, new BadCredentialsException("no such user and password"));
    } catch (PeerAwayException e) {
      throw counted(Outcome.AWAY, new AuthenticationServiceException(e.reason().name()));
    }
  }

  @Override
  public boolean supports(Class<?> attempt) {
    return UsernamePasswordAuthenticationToken.class.isAssignableFrom(attempt);
  }

  /// Returns the visitor of a session that billing has opened.
  static Authentication authenticated(OpenedSession session, Browser browser) {
    SignedIn visitor = SignedIn.of(session);
    var signedIn =
        UsernamePasswordAuthenticationToken.authenticated(
            visitor, null, AuthorityUtils.createAuthorityList("ROLE_" + visitor.role()));
    signedIn.setDetails(new Browser(browser.address(), String.valueOf(session.knownBrowser())));
    return signedIn;
  }

  private AuthenticationException counted(Outcome outcome, AuthenticationException refusal) {
    count(outcome);
    return refusal;
  }

  /// Counts a log-in by the provider.
  void count(Outcome outcome) {
    counter(outcome).increment();
  }

  private Counter counter(Outcome outcome) {
    return Counter.builder("viaduct_webgui_logins")
        .description("Attempts to log in, by outcome")
        .tag("outcome", MetricLabel.of(outcome))
        .register(meters);
  }
}
