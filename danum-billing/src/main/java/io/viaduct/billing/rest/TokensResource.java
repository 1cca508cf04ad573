package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.ApiTokens;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Scope;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Makes, lists and revokes tokens for programs. Everybody makes tokens for the own account only,
/// after a log-in: a token makes no tokens.
@RestController
@RequestMapping("/api/v1/accounts/{id}/tokens")
@Tag(name = "tokens")
class TokensResource {
  private static final int NAME_LENGTH_MAX = 64;

  private final Accounts accounts;
  private final ApiTokens tokens;
  private final InstantSource clock;

  TokensResource(Accounts accounts, ApiTokens tokens, InstantSource clock) {
    this.accounts = accounts;
    this.tokens = tokens;
    this.clock = clock;
  }

  record WantedToken(String name, List<String> scopes, Instant expiresAt) {
    WantedToken {
      JsonBody.require("name", name);
      JsonBody.require("scopes", scopes);
      JsonBody.require("expiresAt", expiresAt);
    }
  }

  record TokenView(
      String id,
      String name,
      List<String> scopes,
      Instant createdAt,
      Instant expiresAt,
      @Nullable Instant lastUsedAt,
      @Nullable Instant revokedAt) {
    static TokenView of(ApiTokens.ApiToken token) {
      return new TokenView(
          Long.toString(token.id()),
          token.name(),
          token.scopes().stream().map(Scope::word).toList(),
          token.createdAt(),
          token.expiresAt(),
          token.lastUsedAt(),
          token.revokedAt());
    }
  }

  record MadeToken(String token, TokenView made) {
    @Override
    public String toString() {
      return "MadeToken[" + made + "]";
    }
  }

  record TokenList(List<TokenView> tokens, @Nullable String next) {}

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TOO_MANY_TOKENS})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Make a token for a program, for one's own account",
      description =
          "The answer shows it once. Send it as the bearer token of requests. It has the rights of"
              + " the account in its scopes, never more.",
      operationId = "makeToken")
  MadeToken make(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody WantedToken wanted) {
    if (!caller.account().equals(id)) {
      throw ProblemException.notFound();
    }
    Instant now = clock.instant();
    if (!wanted.expiresAt().isAfter(now)
        || wanted.expiresAt().isAfter(now.plus(ApiTokens.VALID_MAX))) {
      throw ProblemException.invalid(
          "expiresAt must be in the future, by "
              + ApiTokens.VALID_MAX.toDays()
              + " days at most, got "
              + wanted.expiresAt());
    }
    if (wanted.name().isBlank()) {
      throw ProblemException.invalid("name must say what the token is for: it is empty");
    }
    String name = PlainText.require("name", wanted.name().strip(), NAME_LENGTH_MAX);
    ApiTokens.NewToken made =
        tokens
            .create(id, name, scopes(wanted.scopes()), wanted.expiresAt(), now)
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.TOO_MANY_TOKENS,
                    "account '%s' has %d tokens: revoke one".formatted(id, ApiTokens.TOKENS_MAX)));
    return new MadeToken(made.secret(), TokenView.of(made.token()));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(
      summary = "Tokens of an account with their last use, latest first",
      operationId = "listTokens")
  TokenList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<TokenView> page =
        Page.latestFirst(
                "tokens\n" + id,
                cursor,
                limit,
                (before, rows) -> tokens.list(id, before, rows),
                ApiTokens.ApiToken::id)
            .as(TokenView::of);
    return new TokenList(page.items(), page.next());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @DeleteMapping("/{token}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Revoke a token of one's own account, or of any as an operator",
      description = "Its next request is refused. A token that is revoked already stays so.",
      operationId = "revokeToken")
  void revoke(
      @AuthenticationPrincipal Caller caller, @PathVariable String id, @PathVariable String token) {
    if (!caller.account().equals(id) && !caller.mayChangeAll()
        || !tokens.revoke(id, OperatorDecision.id(token), caller.account(), clock.instant())) {
      throw ProblemException.notFound();
    }
  }

  private static Set<Scope> scopes(List<String> words) {
    Set<Scope> scopes = EnumSet.noneOf(Scope.class);
    for (String word : words) {
      scopes.add(
          Scope.of(word)
              .orElseThrow(() ->
                  ProblemException.invalid(
                      "scopes must be some of "
                          + Arrays.stream(Scope.values()).map(Scope::word).toList())));
    }
    if (scopes.isEmpty()) {
      throw ProblemException.invalid("scopes must name at least one scope");
    }
    return scopes;
  }
}
