// The state of a round anew, while somebody looks at it.
setInterval(() => document.visibilityState === "visible" && location.reload(), 20000);
