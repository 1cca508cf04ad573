package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.provisioning.Card;
import io.viaduct.billing.provisioning.Cards;
import io.viaduct.billing.provisioning.UserRefusedException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Gives accounts the keys of their cards. No answer has a key.
@RestController
@RequestMapping("/api/v1/accounts/{id}/card")
@Tag(name = "accounts")
class CardsResource {
  private static final HexFormat HEX = HexFormat.of();

  private final Cards cards;
  private final InstantSource clock;

  CardsResource(Cards cards, InstantSource clock) {
    this.cards = cards;
    this.clock = clock;
  }

  record NewCard(String k, @Nullable String opc, @Nullable String op, @Nullable String amf) {
    NewCard {
      JsonBody.require("k", k);
    }

    // The values are secrets, so the refusal does not repeat them.
    Card card() {
      try {
        return Card.of(k, opc, op, amf);
      } catch (IllegalArgumentException e) {
        throw ProblemException.invalid(String.valueOf(e.getMessage()));
      }
    }

    @Override
    public String toString() {
      return "NewCard[]";
    }
  }

  record CardView(String amf, Instant changedAt) {}

  @Refuses({ProblemType.NOT_FOUND, ProblemType.ACCOUNT_CLOSED})
  @PutMapping
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Give an account the keys of its card, as an operator",
      description =
          "Its phones then register by AKAv1-MD5 and AKAv2-MD5 (RFC 3310, RFC 4169), beside the"
              + " password if there is one. The keys replace those of a former card. They are stored"
              + " encrypted and never shown again.",
      operationId = "putCard")
  void put(@PathVariable String id, @RequestBody NewCard wanted) {
    try {
      cards.set(id, wanted.card(), clock.instant());
    } catch (UserRefusedException e) {
      throw UsersResource.problem(e);
    }
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(
      summary = "Whether an account has a card, and since when; never its keys",
      operationId = "showCard")
  CardView show(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.requireOwn(caller, id);
    return cards
        .facts(id)
        .map(facts -> new CardView(HEX.formatHex(facts.amf()), facts.changedAt()))
        .orElseThrow(ProblemException::notFound);
  }

  @Refuses(ProblemType.NOT_FOUND)
  @DeleteMapping
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Take an account's card away, as an operator",
      description = "Its phones cannot register by the card any more, within a second.",
      operationId = "removeCard")
  void remove(@PathVariable String id) {
    if (!cards.remove(id)) {
      throw ProblemException.notFound();
    }
  }
}
