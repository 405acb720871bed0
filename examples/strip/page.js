const moment = document.getElementById('moment'), chosen = document.getElementById('chosen');

// `input` comes while it moves, `change` when it was let go.
moment.addEventListener('change', () => {
  const thumbnail = moment.thumbnailAt(moment.value);
  chosen.textContent = `${moment.value.toFixed(3)} s` + (thumbnail ? `, the thumbnail of frame ${thumbnail.frame}` : '');
});
moment.addEventListener('error', event => { chosen.textContent = event.detail.message; });
